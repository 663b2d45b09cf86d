import { expect, test } from "vitest";
import { createReadings } from "../../../src/console/readings.ts";
import { eventually } from "../../support/eventually.ts";
import { openConsole } from "./browser.ts";

test("at most eight readings are under way at once; the others wait, and too many are refused", async () => {
  const { services } = openConsole().site;
  const { read, close } = createReadings(services);
  const ends: (() => void)[] = [];
  const begin = (key: string) =>
    read(key, () => new Promise<string>((resolve) => ends.push(() => resolve(key))));
  const asked = Array.from({ length: 8 + 64 }, (_, at) => begin(`topic ${at}`));
  expect(ends).toHaveLength(8);
  expect(String((await begin("one too many")).error)).toMatch(/console is busy/);
  for (const reading of await Promise.all(asked)) expect(reading.isReading).toBe(true);
  ends.shift()?.();
  ends.shift()?.();
  await eventually(() => ends.length === 8, "two others to begin");
  expect(await begin("topic 0")).toMatchObject({ value: "topic 0", isReading: false });
  close();
  ends.forEach((end) => end());
});
