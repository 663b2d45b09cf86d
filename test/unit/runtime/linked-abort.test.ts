import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { linkedAbortController } from "../../../src/runtime/linked-abort.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

it("aborts with the first of its signals, with that one's reason, and lets go of all", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const linked = linkedAbortController(one.signal, two.signal);
  expect(linked.signal.aborted).toBe(false);
  two.abort(new Error("two"));
  one.abort(new Error("one"));
  expect(linked.signal.reason).toEqual(new Error("two"));
  expect([listeners(one.signal), listeners(two.signal)]).toEqual([0, 0]);
});

it("leaves no listener behind when it is aborted itself, and aborts nobody else", () => {
  const one = new AbortController();
  const linked = linkedAbortController(one.signal);
  linked.abort(new Error("over"));
  expect(one.signal.aborted).toBe(false);
  expect(listeners(one.signal)).toBe(0);
});

it("has aborted already where one of them has", () => {
  const [one, two] = [new AbortController(), new AbortController()];
  two.abort(new Error("two"));
  for (const signals of [
    [one.signal, two.signal],
    [two.signal, one.signal],
  ])
    expect(linkedAbortController(...signals).signal.reason).toEqual(new Error("two"));
  expect(listeners(one.signal)).toBe(0);
});
