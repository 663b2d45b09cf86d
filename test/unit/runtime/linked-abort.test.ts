import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { linkedAbortController } from "../../../src/runtime/linked-abort.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

it("aborts with the first of its signals, with its reason, and removes all listeners", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const linked = linkedAbortController(one.signal, two.signal);
  expect(linked.signal.aborted).toBe(false);
  two.abort(new Error("two"));
  one.abort(new Error("one"));
  expect(linked.signal.reason).toEqual(new Error("two"));
  expect([listeners(one.signal), listeners(two.signal)]).toEqual([0, 0]);
});

it("when aborted itself, leaves no listener behind and aborts none of the signals", () => {
  const one = new AbortController();
  const linked = linkedAbortController(one.signal);
  linked.abort(new Error("over"));
  expect(one.signal.aborted).toBe(false);
  expect(listeners(one.signal)).toBe(0);
});

it("is aborted at once when one of the signals is", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  two.abort(new Error("two"));
  for (const signals of [
    [one.signal, two.signal],
    [two.signal, one.signal],
  ])
    expect(linkedAbortController(...signals).signal.reason).toEqual(new Error("two"));
  expect(listeners(one.signal)).toBe(0);
});
