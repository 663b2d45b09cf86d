import { expect, it } from "vitest";
import { closedGate, type GateName } from "../../../../src/commands-to-results/accept-once/gates.ts";
import type { Deps } from "../../../../src/commands-to-results/accept-once/ports.ts";
import type { Pass } from "../../../../src/commands-to-results/accept-once/pass.ts";
import { START, type Job } from "../../../../src/commands-to-results/accept-once/progress.ts";
import { createCommandIdLocks } from "../../../../src/commands-to-results/accept-once/command-id-locks.ts";
import { MAX_CREATES } from "../../../../src/commands-to-results/disposition.ts";
import { ownVerdict } from "../../../../src/commands-to-results/types.ts";
import { accept, create, createDeps, createLog, itemOf } from "./journal.ts";

const c1 = accept("c1");
const verdict = ownVerdict("FAILED", "PARTNER_UNAVAILABLE", "never sent");
const expired = ownVerdict("REJECTED", "COMMAND_EXPIRED", "late");

/** A command whose gates are all open, and what closes each. */
const setUp = (ref = c1) => {
  const closing = new Set<GateName>();
  const is = (gate: GateName): boolean => closing.has(gate);
  const log = createLog();
  const { deps: open } = createDeps(log);
  const deps: Deps = {
    ...open,
    view: { ...log.view, ready: () => !is("journal") },
    mayStart: () => !is("heartbeat"),
    guard: () => (is("guard") ? expired : null),
    acceptsPaused: () => is("paused"),
  };
  const stop = new AbortController();
  const pass: Pass = {
    isHeldByDoubt: () => is("doubt"),
    doubt: () => undefined,
    breakerLeftMs: () => (is("breaker") ? 1_000 : 0),
    hasPermit: () => !is("rate"),
    mayTakePermit: () => !is("rate"),
    permitFree: () => Promise.resolve(),
    take: () => undefined,
    give: () => undefined,
  };
  const close = (gate: GateName): void => {
    closing.add(gate);
    if (gate === "stopping") stop.abort(new Error("stopping"));
  };
  const life = new AbortController().signal;
  const job: Job = {
    ...{ deps, prepared: itemOf(ref), pass, signals: { stop: stop.signal, cut: life, abandon: life } },
    slot: { isHeld: () => true, leave: () => undefined, take: () => Promise.resolve() },
    leavePlace: () => undefined,
    commandIds: createCommandIdLocks(),
    elapsedMs: () => (is("deadline") ? deps.options.deadlineMs : 0),
  };
  return { job, close };
};

const GATES: GateName[] = [
  ...(["stopping", "heartbeat", "journal", "guard", "paused", "doubt", "deadline"] as const),
  ...(["breaker", "rate"] as const),
];

it.each(GATES)("the gate %s is asked before the claim, and before the bytes", (gate) => {
  for (const beginning of ["claim", "bytes"] as const) {
    const { job, close } = setUp();
    expect(closedGate(job, START, beginning)).toBeNull();
    close(gate);
    expect(closedGate(job, START, beginning), beginning).not.toBeNull();
  }
});

it("a claim that the fold will refuse waits for nothing that concerns the partner", () => {
  const { job, close } = setUp();
  for (const gate of ["paused", "doubt", "breaker", "rate"] as const) close(gate);
  expect(closedGate(job, START, "refusedClaim")).toBeNull();
});

it("a create that may have been executed ends after the last of its calls", () => {
  const { job } = setUp(create("c2"));
  const lost = { ...START, lost: verdict, verdict };
  expect(closedGate(job, { ...lost, callsSent: MAX_CREATES - 1 }, "claim")).toBeNull();
  expect(closedGate(job, { ...lost, callsSent: MAX_CREATES }, "claim")).toEqual({ kind: "end", verdict });
});
