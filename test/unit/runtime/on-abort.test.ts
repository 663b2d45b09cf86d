import { getEventListeners, setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { onAbort } from "../../../src/runtime/on-abort.ts";
import { wakeOrAbort } from "../../../src/runtime/wake-or-abort.ts";

test("calls each listener once, in order, but those that were removed, and leaves none behind", () => {
  const stop = new AbortController();
  const said: string[] = [];
  const [first, second] = ["first", "second"].map((name) => onAbort(stop.signal, () => void said.push(name)));
  onAbort(stop.signal, () => void said.push("third"));
  second!();
  stop.abort();
  expect(said).toEqual(["first", "third"]);
  first!();

  const life = new AbortController();
  const forget = [1, 2].map(() => onAbort(life.signal, () => void said.push("never")));
  for (const each of [...forget, ...forget]) each();
  expect(getEventListeners(life.signal, "abort")).toEqual([]);
  life.abort();
  expect(said).toHaveLength(2);
});

test("twenty thousand may wait with one signal: with a listener each it would take twenty seconds", async () => {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const startedAt = performance.now();
  const waits = Array.from({ length: 20_000 }, (_, nth) =>
    nth % 2 === 0
      ? systemClock.within(60_000, stop.signal, new Promise(() => undefined))
      : wakeOrAbort(stop.signal, () => () => undefined),
  );
  const ended = Promise.allSettled(waits);
  stop.abort(new Error("the process stops"));
  await ended;
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});
