import { expect, it } from "vitest";
import { createBreaker, type CallReport } from "../../../../src/commands-to-results/accept-once/breaker.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

const create = (pauseMs: number) => {
  let nowMs = 0;
  const states: string[] = [];
  const clock = { ...systemClock, monotonic: () => nowMs };
  const pausesMs: number[] = [];
  const changed = (state: string, forMs: number): void => {
    states.push(state);
    pausesMs.push(forMs);
  };
  const breaker = createBreaker({ clock, failures: 2, pauseMs, changed });
  /** How calls end that begin at the same time. */
  const end = (...reports: CallReport[]): void => {
    const admissions = reports.map(() => breaker.enter());
    reports.forEach((report, i) => breaker.leave(admissions[i]!, report));
  };
  return {
    breaker,
    states,
    pausesMs,
    end,
    leftMs: () => breaker.pauseLeftMs(null),
    pass: (ms: number) => (nowMs += ms),
  };
};

it("pauses after failures in a row, lets one go ahead after the pause, and all once that is answered", () => {
  const { breaker, states, end, leftMs, pass } = create(100);
  for (const report of ["ill", "answer", "ill"] as const) end(report);
  expect([states, leftMs()]).toEqual([[], 0]);
  end("ill");
  expect([states, leftMs()]).toEqual([["open"], 100]);
  pass(100);
  expect(leftMs()).toBe(0);
  const trial = breaker.enter();
  expect([leftMs(), breaker.pauseLeftMs(trial)]).toEqual([100, 0]);
  breaker.leave(trial, "answer");
  expect([states, leftMs()]).toEqual([["open", "closed"], 0]);
});

it("holds back what was let in before it opened, but for the trial", () => {
  const { breaker, end } = create(100);
  const early = breaker.enter();
  expect(breaker.pauseLeftMs(early)).toBe(0);
  end("ill", "ill");
  expect(breaker.pauseLeftMs(early)).toBe(100);
});

it("doubles its pause with each trial that fails, up to ten minutes, and begins anew when it has closed", () => {
  const { leftMs, end, pass, pausesMs } = create(30_000);
  end("ill", "ill");
  const pauses = Array.from({ length: 7 }, () => {
    const ms = leftMs();
    pass(ms);
    end("ill");
    return ms / 1_000;
  });
  expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600]);
  expect(pausesMs.slice(0, 4)).toEqual([30_000, 60_000, 120_000, 240_000]);
  pass(600_000);
  end("answer");
  end("ill", "ill");
  expect(leftMs()).toBe(30_000);
});

it("lets another go ahead when the trial could not be sent for a reason of the bridge's own", () => {
  const { leftMs, end, pass } = create(100);
  end("ill", "ill");
  pass(100);
  end("nothing");
  expect(leftMs()).toBe(0);
});

it("does not take an answer to an old call for a recovery", () => {
  const { breaker, end, leftMs } = create(100);
  const old = breaker.enter();
  end("ill", "ill");
  breaker.leave(old, "answer");
  expect(leftMs()).toBe(100);
});
