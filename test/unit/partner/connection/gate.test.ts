import { describe, expect, it } from "vitest";
import { GaveWayError, gateFor } from "../../../../src/partner/connection/gate.ts";
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
    const { pass: passFor } = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
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
    const { pass: passFor } = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
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
    const { pass: passFor } = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
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
    const { pass: passFor } = gateFor({ maxOpen: 10, maxPerSecond: 4, clock });
    for (let n = 0; n < 4; n++) {
      const pass = passFor();
      expect(pass.enter()).toBe(false);
      await pass.wait(signal);
      pass.leave();
    }
    expect(slept).toEqual([250, 250, 250]);
  });
});

describe("a call in the background", () => {
  /** Takes a place when it may; says whether it has one, and why not. */
  const inBackground = (gate: ReturnType<typeof gateFor>) => {
    const call = new AbortController();
    let state: "waiting" | "open" | "over" = "waiting";
    const entered = gate.background(call).then(
      () => (state = "open"),
      () => (state = "over"),
    );
    return { call, entered, state: () => state, end: () => call.abort(new Error("over")) };
  };

  it("gives way in the very step in which a command takes the only place, with and without waiting", async () => {
    const gate = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const background = inBackground(gate);
    await background.entered;
    const command = gate.pass();
    let socketsOpen = 1;
    background.call.signal.addEventListener("abort", () => socketsOpen--);
    expect(command.enter()).toBe(true);
    expect(background.call.signal.reason).toBeInstanceOf(GaveWayError);
    expect(socketsOpen, "its connection is closed before the command opens another").toBe(0);
    // Ended once more by whoever made it, which gives nothing back a second time.
    background.end();
    expect(gate.pass().enter()).toBe(false);
  });

  it("keeps its place while there are others", async () => {
    const gate = gateFor({ maxOpen: 2, maxPerSecond: null, clock: systemClock });
    const background = inBackground(gate);
    await background.entered;
    const [first, second] = [gate.pass(), gate.pass()];
    expect(first.enter()).toBe(true);
    expect(background.call.signal.aborted).toBe(false);
    const waited = second.wait(signal);
    expect(background.call.signal.aborted).toBe(true);
    await waited;
    expect(gate.pass().enter()).toBe(false);
  });

  it("waits behind everybody, and begins when nobody is there", async () => {
    const { clock, advance } = manual();
    const gate = gateFor({ maxOpen: 1, maxPerSecond: null, clock });
    const [first, second] = [gate.pass(), gate.pass()];
    first.enter();
    const background = inBackground(gate);
    const waiting = second.wait(signal);
    await advance(500);
    first.leave();
    await waiting;
    await advance(500);
    expect(background.state()).toBe("waiting");
    second.leave();
    await advance(200);
    expect(background.state()).toBe("open");
    background.end();
    expect(gate.pass().enter()).toBe(true);
  });

  it("does not come back at once after it gave way", async () => {
    const { clock, advance } = manual();
    const gate = gateFor({ maxOpen: 1, maxPerSecond: null, clock });
    await inBackground(gate).entered;
    const command = gate.pass();
    command.enter();
    command.leave();
    const again = inBackground(gate);
    await advance(4_000);
    expect(again.state()).toBe("waiting");
    await advance(2_000);
    expect(again.state()).toBe("open");
  });

  it("takes a turn that nobody wants, and commands keep theirs: one place, one a second", async () => {
    const { clock, advance } = manual();
    const gate = gateFor({ maxOpen: 1, maxPerSecond: 1, clock });
    const begun: string[] = [];
    const command = gate.pass();
    void command.wait(signal).then(() => begun.push("command"));
    const background = inBackground(gate);
    void background.entered.then(() => begun.push("log"));
    await advance(100);
    expect(begun).toEqual(["command"]);
    command.leave();
    await advance(700);
    expect(begun, "the turn of this second is taken").toEqual(["command"]);
    await advance(400);
    expect(begun).toEqual(["command", "log"]);
    const next = gate.pass();
    const since = clock.monotonic();
    const waited = next.wait(signal).then(() => clock.monotonic() - since);
    expect(background.call.signal.aborted, "its place is free at once").toBe(true);
    await advance(1_100);
    const waitedMs = await waited;
    expect(waitedMs, "the turn that it took counts").toBeGreaterThan(500);
    expect(waitedMs, "and is over soon").toBeLessThanOrEqual(1_100);
    expect(gate.pass().enter()).toBe(false);
  });

  it("stops waiting when it is told to, and holds nothing then", async () => {
    const gate = gateFor({ maxOpen: 1, maxPerSecond: null, clock: systemClock });
    const command = gate.pass();
    command.enter();
    const background = inBackground(gate);
    background.end();
    await eventually(() => background.state() === "over", "the end of waiting");
    command.leave();
    expect(gate.pass().enter()).toBe(true);
    const late = inBackground(gate);
    late.end();
    await eventually(() => late.state() === "over", "one that is over before it begins");
  });

  it("makes room for as many as come, each of them once", async () => {
    const gate = gateFor({ maxOpen: 3, maxPerSecond: null, clock: systemClock });
    const calls = [inBackground(gate), inBackground(gate), inBackground(gate)];
    await Promise.all(calls.map(({ entered }) => entered));
    const passes = [1, 2, 3, 4].map(() => gate.pass());
    expect(passes.map((pass) => pass.enter())).toEqual([true, true, true, false]);
    expect(calls.map(({ call }) => call.signal.aborted)).toEqual([true, true, true]);
  });
});
