import { expect, it } from "vitest";
import { createBreaker } from "../../../../src/commands-to-results/accept-once/breaker.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

const never = new AbortController().signal;

const create = (pauseMs: number) => {
  let nowMs = 0;
  const states: string[] = [];
  const clock = { ...systemClock, monotonic: () => nowMs };
  const breaker = createBreaker({ clock, failures: 2, pauseMs, changed: (state) => states.push(state) });
  return { breaker, states, pass: (ms: number) => (nowMs += ms) };
};

it("pauses after doubts in a row, lets one go ahead after the pause, and all once that is answered", () => {
  const { breaker, states, pass } = create(100);
  breaker.enter()?.leave("doubt");
  breaker.enter()?.leave("answer");
  breaker.enter()?.leave("doubt");
  expect(states).toEqual([]);
  breaker.enter()?.leave("doubt");
  expect(states).toEqual(["open"]);
  expect(breaker.enter()).toBeNull();
  pass(100);
  const probe = breaker.enter();
  expect(probe).not.toBeNull();
  expect(breaker.enter()).toBeNull();
  probe?.leave("answer");
  expect(states).toEqual(["open", "closed"]);
  expect(breaker.enter()).not.toBeNull();
});

it("pauses again when the one that went ahead is in doubt, and asks another when it could not be sent", () => {
  const { breaker, pass } = create(100);
  for (const entered of [breaker.enter(), breaker.enter()]) entered?.leave("doubt");
  pass(100);
  breaker.enter()?.leave("nothing");
  const second = breaker.enter();
  expect(second).not.toBeNull();
  second?.leave("doubt");
  expect(breaker.enter()).toBeNull();
});

it("does not take an answer to an old call for a recovery", () => {
  const { breaker } = create(100);
  const old = breaker.enter();
  for (const entered of [breaker.enter(), breaker.enter()]) entered?.leave("doubt");
  old?.leave("answer");
  expect(breaker.enter()).toBeNull();
});

it("wakes who waits when something changes, and says how long to wait at most", async () => {
  const { breaker, pass } = create(60_000);
  const running = [breaker.enter(), breaker.enter()];
  for (const entered of running) entered?.leave("doubt");
  expect(breaker.pauseLeftMs(5)).toBe(5);
  expect(breaker.pauseLeftMs(90_000)).toBe(60_000);
  pass(60_000);
  const probe = breaker.enter();
  const waiting = breaker.changed(never);
  probe?.leave("answer");
  await waiting;
  expect(breaker.enter()).not.toBeNull();
});
