import { describe, expect, it } from "vitest";
import { attempt } from "../../../../src/commands-to-results/accept-once/attempt.ts";
import {
  closedGate,
  type GateName,
  type Standing,
} from "../../../../src/commands-to-results/accept-once/gates.ts";
import type { Deps } from "../../../../src/commands-to-results/accept-once/ports.ts";
import type { Pass } from "../../../../src/commands-to-results/accept-once/pass.ts";
import { MAX_CREATES } from "../../../../src/commands-to-results/disposition.ts";
import { ownVerdict } from "../../../../src/commands-to-results/types.ts";
import { accept, createDeps, createLog, itemOf } from "./journal.ts";

const c1 = accept("c1");
const verdict = ownVerdict("FAILED", "PARTNER_UNAVAILABLE", "never sent");
const expired = ownVerdict("REJECTED", "COMMAND_EXPIRED", "late");

/** A command whose gates are all open, and what closes each. */
const setUp = () => {
  const closing = new Set<GateName>();
  const is = (gate: GateName): boolean => closing.has(gate);
  const log = createLog();
  let calls = 0;
  const { deps: open } = createDeps(log);
  const deps: Deps = {
    ...open,
    view: { ...log.view, ready: () => !is("journal") },
    mayStart: () => !is("heartbeat"),
    guard: () => (is("guard") ? expired : null),
    acceptsPaused: () => is("paused"),
    call: (_, { mayCall }) => {
      if (mayCall()) calls += 1;
      return Promise.resolve({ kind: "notSent", reason: "not sent" });
    },
  };
  const stop = new AbortController();
  const pass: Pass = {
    isHeldByDoubt: () => is("doubt"),
    doubt: () => undefined,
    breakerLeftMs: () => (is("breaker") ? 1_000 : 0),
    breakerChanged: () => Promise.resolve(),
    hasPermit: () => !is("rate"),
    mayTakePermit: () => !is("rate"),
    permitFree: () => Promise.resolve(),
    take: () => undefined,
    give: () => undefined,
  };
  const prepared = itemOf(c1);
  const { work } = prepared;
  if (work.kind !== "call") throw new Error("it is a call");
  const standing: Standing = {
    ...{ operation: "ACCEPT_QUOTE", command: work.command, stop: stop.signal, pass, verdict },
    ...{ notBeforeMs: 0, calls: 0, lost: null },
    elapsedMs: () => (is("deadline") ? deps.options.deadlineMs : 0),
  };
  const close = (gate: GateName): void => {
    closing.add(gate);
    if (gate === "stopping") stop.abort(new Error("stopping"));
  };
  const life = new AbortController().signal;
  const job = {
    ...{ deps, prepared, signals: { stop: stop.signal, cut: life, abandon: life } },
    slot: { leave: () => undefined, take: () => Promise.resolve() },
  };
  return {
    ...{ standing, deps, close },
    calls: () => calls,
    /** One attempt, with this done between its claim and its bytes. */
    attempt: (between: () => void) => {
      const call: Deps["call"] = (request, options) => {
        between();
        return deps.call(request, options);
      };
      const beginning = { supersedes: null, willCall: true, standing };
      return attempt({ ...job, deps: { ...deps, call } }, work, beginning);
    },
  };
};

const GATES: GateName[] = [
  ...(["stopping", "heartbeat", "journal", "guard", "paused", "doubt", "deadline"] as const),
  ...(["breaker", "rate"] as const),
];

describe.each(GATES)("the gate %s", (gate) => {
  it.each(["claim", "bytes"] as const)("is asked before the %s", (place) => {
    const { standing, deps, close } = setUp();
    expect(closedGate({ ...standing, place, willCall: true }, deps)).toBeNull();
    close(gate);
    expect(closedGate({ ...standing, place, willCall: true }, deps)).toMatchObject({ gate });
  });

  it("keeps the bytes of a claimed call back", async () => {
    const open = setUp();
    await open.attempt(() => undefined);
    expect(open.calls()).toBe(1);
    const { close, calls, attempt: attemptOnce } = setUp();
    await expect(attemptOnce(() => close(gate))).resolves.toMatchObject({ kind: "notExecuted", calls: 0 });
    expect(calls()).toBe(0);
  });
});

it("a claim that the fold will refuse waits for nothing that concerns the partner", () => {
  const { standing, deps, close } = setUp();
  for (const gate of ["paused", "doubt", "breaker", "rate"] as const) close(gate);
  expect(closedGate({ ...standing, place: "claim", willCall: false }, deps)).toBeNull();
});

it("a create that may have been executed ends after the last of its calls", () => {
  const { standing, deps } = setUp();
  const asked = {
    ...standing,
    operation: "CREATE_QUOTE",
    lost: verdict,
    place: "claim",
    willCall: true,
  } as const;
  expect(closedGate({ ...asked, calls: MAX_CREATES - 1 }, deps)).toBeNull();
  expect(closedGate({ ...asked, calls: MAX_CREATES }, deps)).toMatchObject({ gate: "deadline", verdict });
});
