import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { wakeOrAbort } from "../../../src/runtime/wake-or-abort.ts";

const wait = (signal: AbortSignal) => {
  const waiting = new Set<() => void>();
  const woken = wakeOrAbort(signal, (wake) => {
    waiting.add(wake);
    return () => waiting.delete(wake);
  });
  return { waiting, woken };
};

test("who is woken listens no more, and a later abort changes nothing", async () => {
  const stop = new AbortController();
  const { waiting, woken } = wait(stop.signal);
  for (const wake of waiting) wake();
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  stop.abort(new Error("too late"));
  await woken;
});

test("an abort ends the wait with its reason, and nobody is left to wake", async () => {
  const stop = new AbortController();
  const { waiting, woken } = wait(stop.signal);
  expect(waiting.size).toBe(1);
  stop.abort(new Error("the partition is lost"));
  expect(waiting.size).toBe(0);
  await expect(woken).rejects.toThrow("the partition is lost");
});

test("nobody waits with a signal that has aborted before", async () => {
  const { waiting, woken } = wait(AbortSignal.abort("over"));
  expect(waiting.size).toBe(0);
  await expect(woken).rejects.toThrow(new Error("over"));
});
