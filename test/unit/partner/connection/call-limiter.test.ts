import { describe, expect, it } from "vitest";
import { PreemptedError, createCallLimiter } from "../../../../src/partner/connection/call-limiter.ts";
import { systemClock, type Clock } from "../../../../src/runtime/clock.ts";
import { eventually } from "../../../support/eventually.ts";

const signal = new AbortController().signal;

/** A clock that stands still until it is told to go on; whoever sleeps looks again then. */
const manual = () => {
  let now = 1_000;
  const sleepers: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    sleep: (ms, stop) =>
      new Promise((resolve, reject) => {
        const until = now + ms;
        const abort = (): void => reject(stop?.reason as Error);
        const look = (): void => {
          if (now < until) return void sleepers.push(look);
          stop?.removeEventListener("abort", abort);
          resolve();
        };
        stop?.addEventListener("abort", abort);
        look();
      }),
  };
  const advance = async (ms: number): Promise<void> => {
    for (const until = now + ms; now < until;) {
      now = Math.min(until, now + 100);
      for (const look of sleepers.splice(0)) look();
      await new Promise(setImmediate);
    }
  };
  return { clock, advance, sleeping: () => sleepers.length };
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

describe("gate", () => {
  it("lets in first who came first", async () => {
    const { permit: permitFor } = createCallLimiter({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const first = permitFor();
    expect(first.tryAcquire()).toBe(true);
    const order: number[] = [];
    const all = [1, 2, 3].map(async (n) => {
      const permit = permitFor();
      await permit.acquire(signal);
      order.push(n);
      permit.release();
    });
    expect(permitFor().tryAcquire()).toBe(false);
    first.release();
    await Promise.all(all);
    expect(order).toEqual([1, 2, 3]);
  });

  it("forgets who gave up, and gives a place back once", async () => {
    const { permit: permitFor } = createCallLimiter({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const first = permitFor();
    first.tryAcquire();
    const gone = permitFor();
    const stop = new AbortController();
    const waiting = gone.acquire(stop.signal);
    stop.abort(new Error("no answer in time"));
    await expect(waiting).rejects.toThrow("no answer in time");
    gone.release();
    first.release();
    first.release();
    const [second, third] = [permitFor(), permitFor()];
    expect([second.tryAcquire(), third.tryAcquire()]).toEqual([true, false]);
  });

  it("gives back a place that was granted to somebody who had just stopped waiting", async () => {
    const { permit: permitFor } = createCallLimiter({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const first = permitFor();
    first.tryAcquire();
    const second = permitFor();
    const stop = new AbortController();
    const waiting = second.acquire(stop.signal);
    first.release();
    stop.abort(new Error("no"));
    await waiting.catch(() => undefined);
    second.release();
    expect(permitFor().tryAcquire()).toBe(true);
  });

  it("spreads calls over a second", async () => {
    const { clock, slept } = standing();
    const { permit: permitFor } = createCallLimiter({ maxOpen: 10, maxPerSecond: 4, clock });
    for (let n = 0; n < 4; n++) {
      const permit = permitFor();
      expect(permit.tryAcquire()).toBe(false);
      await permit.acquire(signal);
      permit.release();
    }
    expect(slept).toEqual([250, 250, 250]);
  });
});

describe("a call in the background", () => {
  /** Takes a place when it may; says whether it has one, and why not. */
  const inBackground = (limiter: ReturnType<typeof createCallLimiter>) => {
    const call = new AbortController();
    let state: "waiting" | "open" | "over" = "waiting";
    const entered = limiter.background(call).then(
      () => (state = "open"),
      () => (state = "over"),
    );
    return { call, entered, state: () => state, end: () => call.abort(new Error("over")) };
  };

  it("gives way in the very step in which a command takes the only place, with and without waiting", async () => {
    const limiter = createCallLimiter({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const background = inBackground(limiter);
    await background.entered;
    const command = limiter.permit();
    let socketsOpen = 1;
    background.call.signal.addEventListener("abort", () => socketsOpen--);
    expect(command.tryAcquire()).toBe(true);
    expect(background.call.signal.reason).toBeInstanceOf(PreemptedError);
    expect(socketsOpen, "its connection is closed before the command opens another").toBe(0);
    // Ended once more by whoever made it, which gives nothing back a second time.
    background.end();
    expect(limiter.permit().tryAcquire()).toBe(false);
  });

  it("waits behind everybody, and begins when nobody is there", async () => {
    const { clock, advance } = manual();
    const limiter = createCallLimiter({ maxOpen: 1, maxPerSecond: null, clock });
    const [first, second] = [limiter.permit(), limiter.permit()];
    first.tryAcquire();
    const background = inBackground(limiter);
    const waiting = second.acquire(signal);
    await advance(500);
    first.release();
    await waiting;
    await advance(500);
    expect(background.state()).toBe("waiting");
    second.release();
    await advance(200);
    expect(background.state()).toBe("open");
    background.end();
    expect(limiter.permit().tryAcquire()).toBe(true);
  });

  it("does not come back at once after it gave way", async () => {
    const { clock, advance } = manual();
    const limiter = createCallLimiter({ maxOpen: 1, maxPerSecond: null, clock });
    await inBackground(limiter).entered;
    const command = limiter.permit();
    command.tryAcquire();
    command.release();
    const again = inBackground(limiter);
    await advance(4_000);
    expect(again.state()).toBe("waiting");
    await advance(2_000);
    expect(again.state()).toBe("open");
  });

  it("takes a turn that nobody wants, and commands keep theirs: one place, one a second", async () => {
    const { clock, advance } = manual();
    const limiter = createCallLimiter({ maxOpen: 1, maxPerSecond: 1, clock });
    const begun: string[] = [];
    const command = limiter.permit();
    void command.acquire(signal).then(() => begun.push("command"));
    const background = inBackground(limiter);
    void background.entered.then(() => begun.push("log"));
    await advance(100);
    expect(begun).toEqual(["command"]);
    command.release();
    await advance(700);
    expect(begun, "the turn of this second is taken").toEqual(["command"]);
    await advance(400);
    expect(begun).toEqual(["command", "log"]);
    const next = limiter.permit();
    const since = clock.monotonic();
    const waited = next.acquire(signal).then(() => clock.monotonic() - since);
    expect(background.call.signal.aborted, "its place is free at once").toBe(true);
    await advance(1_100);
    const waitedMs = await waited;
    expect(waitedMs, "the turn that it took counts").toBeGreaterThan(500);
    expect(waitedMs, "and is over soon").toBeLessThanOrEqual(1_100);
    expect(limiter.permit().tryAcquire()).toBe(false);
  });

  it("stops waiting when it is told to, and holds nothing then", async () => {
    const limiter = createCallLimiter({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const command = limiter.permit();
    command.tryAcquire();
    const background = inBackground(limiter);
    background.end();
    await eventually(() => background.state() === "over", "the end of waiting");
    command.release();
    expect(limiter.permit().tryAcquire()).toBe(true);
    const late = inBackground(limiter);
    late.end();
    await eventually(() => late.state() === "over", "one that is over before it begins");
  });
});
