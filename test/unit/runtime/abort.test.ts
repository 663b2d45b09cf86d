import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { linkedAbortController, onAbort, wakeOrAbort } from "../../../src/runtime/abort.ts";
import { systemClock } from "../../../src/runtime/clock.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

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
  expect(listeners(life.signal)).toBe(0);
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
  expect(listeners(stop.signal)).toBe(1);
  stop.abort(new Error("the process stops"));
  const ended = await Promise.allSettled(waits);
  expect(ended.filter(({ status }) => status === "rejected")).toHaveLength(9_000);
  expect(linked.signal.aborted).toBe(true);
});

test("a linked controller aborts with the first of its signals, with its reason, and removes all listeners", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const linked = linkedAbortController(one.signal, two.signal);
  expect(linked.signal.aborted).toBe(false);
  two.abort(new Error("two"));
  one.abort(new Error("one"));
  expect(linked.signal.reason).toEqual(new Error("two"));
  expect([listeners(one.signal), listeners(two.signal)]).toEqual([0, 0]);
});

test("a linked controller that is aborted itself leaves no listener behind and aborts none of the signals", () => {
  const one = new AbortController();
  const linked = linkedAbortController(one.signal);
  linked.abort(new Error("over"));
  expect(one.signal.aborted).toBe(false);
  expect(listeners(one.signal)).toBe(0);
});

test("a linked controller is aborted at once when one of the signals is", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  two.abort(new Error("two"));
  for (const signals of [
    [one.signal, two.signal],
    [two.signal, one.signal],
  ])
    expect(linkedAbortController(...signals).signal.reason).toEqual(new Error("two"));
  expect(listeners(one.signal)).toBe(0);
});

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
  expect(listeners(stop.signal)).toBe(0);
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
