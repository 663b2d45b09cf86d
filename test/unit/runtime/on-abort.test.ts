import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { linkedAbortController } from "../../../src/runtime/linked-abort.ts";
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

test("thousands may wait with one signal: it has one listener for all of them", async () => {
  const stop = new AbortController();
  const waits = Array.from({ length: 3_000 }, (_, nth) => [
    systemClock.sleep(60_000 + nth, stop.signal),
    systemClock.within(60_000, stop.signal, new Promise(() => undefined)),
    wakeOrAbort(stop.signal, () => () => undefined),
  ]).flat();
  const linked = linkedAbortController(stop.signal);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  stop.abort(new Error("the process stops"));
  const ended = await Promise.allSettled(waits);
  expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(9_000);
  expect(linked.signal.aborted).toBe(true);
});
