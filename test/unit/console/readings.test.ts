import { expect, test } from "vitest";
import { createReadings } from "../../../src/console/readings.ts";
import { openConsole } from "./browser.ts";

test("at most sixteen readings are under way at once; more are refused until one has ended, and show what was known", async () => {
  const { tools } = openConsole().site;
  const { read, close } = createReadings(tools);
  const ends: (() => void)[] = [];
  const begin = (key: string, keepMs?: number) =>
    read(key, () => new Promise<string>((resolve) => ends.push(() => resolve(key))), keepMs);
  const readings = Array.from({ length: 16 }, (_, nth) => begin(`topic ${nth}`));
  expect(String((await begin("one too many")).error)).toMatch(/console is busy/);
  for (const reading of await Promise.all(readings)) expect(reading.isReading).toBe(true);
  ends[0]?.();
  expect(await begin("topic 0")).toMatchObject({ value: "topic 0", isReading: false });
  expect(await begin("another one")).toMatchObject({ error: null, isReading: true });
  expect(await begin("topic 0", 0)).toMatchObject({ value: "topic 0", error: { name: "UsageError" } });
  close();
  ends.forEach((end) => end());
});
