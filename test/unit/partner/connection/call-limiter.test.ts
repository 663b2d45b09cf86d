import { describe, expect, it } from "vitest";
import { createCallLimiter } from "../../../../src/partner/connection/call-limiter.ts";
import type { CallPermit } from "../../../../src/partner/types.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

const signal = new AbortController().signal;

/** Waits until it is free, and takes it. */
const acquire = async (permit: CallPermit): Promise<CallPermit> => {
  while (!permit.isFree()) await permit.untilFree(signal);
  permit.take();
  return permit;
};
/** Takes it if it is free at once. */
const tryTake = (permit: CallPermit): boolean => {
  const isFree = permit.isFree();
  if (isFree) permit.take();
  return isFree;
};

const limiterOf = (maxConnections: number, rate?: number, clock = systemClock) => {
  const limiter = createCallLimiter({ maxConnections, maxRequestsPerSecond: rate, clock });
  limiter.shareRate(() => 1);
  return limiter;
};

/** A limiter of one connection, and the permit that has it. */
const held = () => {
  const { permit: permitFor } = limiterOf(1);
  const first = permitFor();
  expect(tryTake(first)).toBe(true);
  return { permitFor, first };
};

/** A clock on which sleeping takes no time, but moves the time. */
const standing = () => {
  let now = 1_000;
  const slept: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    slept.push(Math.round(ms));
    now += ms;
    return Promise.resolve();
  };
  return { slept, clock: { ...systemClock, monotonic: () => now, sleep } };
};

describe("a permit", () => {
  it("has first who came first", async () => {
    const { permitFor, first } = held();
    const order: number[] = [];
    const all = [1, 2, 3].map(async (n) => {
      const permit = await acquire(permitFor());
      order.push(n);
      permit.release();
    });
    expect(tryTake(permitFor())).toBe(false);
    first.release();
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3]);
  });

  it("is not for who gave up, and is given back once", async () => {
    const { permitFor, first } = held();
    const gone = permitFor();
    const stop = new AbortController();
    const waiting = gone.untilFree(stop.signal);
    stop.abort(new Error("no answer in time"));
    await expect(waiting).rejects.toThrow("no answer in time");
    gone.release();
    first.release();
    first.release();
    const [second, third] = [permitFor(), permitFor()];
    expect([tryTake(second), tryTake(third)]).toEqual([true, false]);
  });

  it("is given back that was granted to somebody who had just stopped waiting", async () => {
    const { permitFor, first } = held();
    const second = permitFor();
    const stop = new AbortController();
    const waiting = second.untilFree(stop.signal);
    first.release();
    stop.abort(new Error("no"));
    await waiting.catch(() => undefined);
    second.release();
    expect(tryTake(permitFor())).toBe(true);
  });

  it("comes at this process's share of the rate, and without one once a second", async () => {
    const { clock, slept } = standing();
    const { permit, shareRate } = createCallLimiter({ maxConnections: 10, maxRequestsPerSecond: 8, clock });
    for (const share of [null, 0.25, 1, 0]) {
      if (share !== null) shareRate(() => share);
      for (let n = 0; n < 2; n += 1) (await acquire(permit())).release();
    }
    expect(slept).toEqual([1_000, 1_000, 500, 500, 125, 125, 1_000]);
  });

  it("keeps the turn for the next in the queue when the first one needs no call any more", async () => {
    const { permit: permitFor } = limiterOf(10, 20);
    await acquire(permitFor());
    const [first, second] = [permitFor(), permitFor()];
    const called = first.untilFree(signal);
    const next = second.untilFree(signal);
    expect([first.isFree(), second.isFree()]).toEqual([false, false]);
    await called;
    expect([first.isFree(), second.isFree()]).toEqual([true, false]);
    first.release();
    await next;
    expect(second.isFree()).toBe(true);
  });
});

it("says since when calls wait for their turn, and when the last of them has it", async () => {
  const limiter = limiterOf(10, 1, { ...systemClock, now: () => 1_000_000 });
  expect(limiter.backlog()).toBeNull();
  await acquire(limiter.permit());
  const stop = new AbortController();
  const waits = [limiter.permit(), limiter.permit()].map((one) => one.untilFree(stop.signal));
  const { sinceMs = 0, untilMs = 0 } = limiter.backlog() ?? {};
  expect([sinceMs, Math.round((untilMs - sinceMs) / 100)]).toEqual([1_000_000, 20]);
  stop.abort(new Error("the test is over"));
  await Promise.allSettled(waits);
});

describe("a turn behind other calls", () => {
  it("is not waited for where nothing limits calls per second", async () => {
    const { clock, slept } = standing();
    const limiter = limiterOf(1, undefined, clock);
    tryTake(limiter.permit());
    await limiter.turnBehindOthers(signal);
    expect(slept).toEqual([]);
  });

  it("comes after those of calls that came later, and counts", async () => {
    const limiter = limiterOf(10, 20);
    const order: string[] = [];
    const call = (name: string) => acquire(limiter.permit()).then(() => order.push(name));
    await call("first");
    const background = limiter.turnBehindOthers(signal).then(() => order.push("log"));
    await Promise.all([call("second"), call("third"), background]);
    await call("fourth");
    expect(order).toEqual(["first", "second", "third", "log", "fourth"]);
  });

  it("is not taken after an abort", async () => {
    const { clock } = standing();
    const limiter = limiterOf(1, 1, clock);
    const stopped = AbortSignal.abort(new Error("stopped"));
    await expect(limiter.turnBehindOthers(stopped)).rejects.toThrow("stopped");
    await acquire(limiter.permit());
    expect(clock.monotonic()).toBe(1_000);
  });
});
