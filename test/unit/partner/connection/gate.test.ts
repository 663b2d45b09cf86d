import { describe, expect, it } from "vitest";
import { gateFor } from "../../../../src/partner/connection/gate.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

const signal = new AbortController().signal;

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

describe("gate", () => {
  it("lets in first who came first", async () => {
    const passFor = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const first = passFor();
    expect(first.enter()).toBe(true);
    const order: number[] = [];
    const all = [1, 2, 3].map(async (n) => {
      const pass = passFor();
      await pass.wait(signal);
      order.push(n);
      pass.leave();
    });
    expect(passFor().enter()).toBe(false);
    first.leave();
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3]);
  });

  it("forgets who gave up, and gives a place back once", async () => {
    const passFor = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const first = passFor();
    first.enter();
    const gone = passFor();
    const stop = new AbortController();
    const waiting = gone.wait(stop.signal);
    stop.abort(new Error("no"));
    await expect(waiting).rejects.toThrow("no connection was free");
    gone.leave();
    first.leave();
    first.leave();
    const [second, third] = [passFor(), passFor()];
    expect([second.enter(), third.enter()]).toEqual([true, false]);
  });

  it("gives back a place that was granted to somebody who had just stopped waiting", async () => {
    const passFor = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const first = passFor();
    first.enter();
    const second = passFor();
    const stop = new AbortController();
    const waiting = second.wait(stop.signal);
    first.leave();
    stop.abort(new Error("no"));
    await waiting.catch(() => undefined);
    second.leave();
    expect(passFor().enter()).toBe(true);
  });

  it("spreads calls over a second", async () => {
    const { clock, slept } = standing();
    const passFor = gateFor({ maxOpen: 10, maxPerSecond: 4, clock });
    for (let n = 0; n < 4; n++) {
      const pass = passFor();
      expect(pass.enter()).toBe(false);
      await pass.wait(signal);
      pass.leave();
    }
    expect(slept).toEqual([250, 250, 250]);
  });
});
