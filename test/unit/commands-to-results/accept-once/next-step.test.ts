import { expect, it } from "vitest";
import type { ClosedGate } from "../../../../src/commands-to-results/accept-once/gates.ts";
import {
  nextStep,
  type Facts,
  type NextStep,
} from "../../../../src/commands-to-results/accept-once/next-step.ts";
import type { CallKnowledge, OwnAttempt } from "../../../../src/commands-to-results/accept-once/progress.ts";
import { ownVerdict } from "../../../../src/commands-to-results/types.ts";

const failed = ownVerdict("FAILED", "PARTNER_UNAVAILABLE", "no call");
const doubted = ownVerdict("IN_DOUBT", "ANSWER_LOST", "lost");
const rejected = ownVerdict("REJECTED", "INVALID_COMMAND", "broken");
const position = { partition: 0, offset: 7 };
const claim = {
  ...{ attemptId: "a", commandId: "c", requestHash: "h", callWithinMs: 1, receivedAt: 1, attempts: 0 },
  timestampMs: 1,
};

const yesOrNo = [true, false];
const known: CallKnowledge[] = ["notExecuted", "mayBeExecuted", "nothing"];
type Shown = Pick<Facts, "look" | "call" | "ownerLeftMs" | "isLocked" | "isReadUp">;
const nothingShown = { call: "nothing", ownerLeftMs: 0, isLocked: false, isReadUp: false } as const;
const free = (isTaken: boolean, isNamedElsewhere: boolean): Facts["look"] => {
  return { kind: "free", isTaken, isNamedElsewhere };
};
const shown: Shown[] = [
  { ...nothingShown, look: { kind: "unread" } },
  { ...nothingShown, look: { kind: "otherContent" } },
  { ...nothingShown, look: { kind: "concluded", position } },
  ...yesOrNo.flatMap((isTaken) => [
    { ...nothingShown, look: free(isTaken, false) },
    { ...nothingShown, look: free(isTaken, false), isLocked: true },
    ...yesOrNo.map((isReadUp) => ({ ...nothingShown, look: free(isTaken, true), isReadUp })),
  ]),
  ...known.flatMap((call): Shown[] => [
    ...[-1, 0, 1].map((ownerLeftMs): Shown => {
      return { ...nothingShown, look: { kind: "held", claim }, call, ownerLeftMs };
    }),
    { ...nothingShown, look: { kind: "doubt", claim, position }, call },
  ]),
];
const owns: OwnAttempt[] = [
  { kind: "none" },
  { kind: "notExecuted", attemptId: "a" },
  ...[failed, doubted].map((verdict): OwnAttempt => ({ kind: "ended", attemptId: "a", verdict })),
  { kind: "concluded" },
];
const gates: (ClosedGate | null)[] = [
  null,
  { kind: "stop" },
  { kind: "end", verdict: failed },
  ...(["time", "ready", "pause", "permit"] as const).map((event): ClosedGate => {
    return { kind: "wait", ms: 5, event };
  }),
];

const all = (["ACCEPT_QUOTE", "CREATE_QUOTE"] as const).flatMap((operation) =>
  [null, rejected].flatMap((refusal) =>
    shown.flatMap((one) =>
      owns.flatMap((own) =>
        gates.flatMap((gate) =>
          yesOrNo.map((hasSlot): Facts => {
            return { ...one, operation, refusal, own, verdict: failed, gate, hasSlot };
          }),
        ),
      ),
    ),
  ),
);

/** Every combination for which this must not be. */
const broken = (isBroken: (facts: Facts, step: NextStep) => boolean): [Facts, NextStep][] =>
  all
    .map((facts): [Facts, NextStep] => [facts, nextStep(facts)])
    .filter(([facts, step]) => isBroken(facts, step))
    .slice(0, 1);

const isClaim = (step: NextStep): boolean => step.kind === "claim";
const isOwnCall = ({ look, call }: Facts, known: CallKnowledge): boolean => "claim" in look && call === known;

it("has exactly one step for every combination of facts", () => {
  expect(all.length).toBeGreaterThan(5_000);
  expect(broken((_, step) => (step as NextStep | undefined) === undefined)).toEqual([]);
});

it.each<[string, (facts: Facts, step: NextStep) => boolean]>([
  ["claims with a gate closed", ({ gate }, step) => isClaim(step) && gate !== null],
  ["claims without a slot", ({ hasSlot }, step) => isClaim(step) && !hasSlot],
  ["claims for an invalid command", ({ refusal }, step) => isClaim(step) && refusal !== null],
  [
    "claims where a key is in doubt, concluded, not read, or not this command's",
    ({ look, isLocked }, step) =>
      isClaim(step) && look.kind !== "held" && (look.kind !== "free" || look.isNamedElsewhere || isLocked),
  ],
  [
    "claims an accept that is held, whoever holds it",
    ({ operation, look }, step) => isClaim(step) && operation === "ACCEPT_QUOTE" && look.kind !== "free",
  ],
  [
    "takes over before the owner's time is over",
    ({ look, ownerLeftMs }, step) => {
      const isEnd = step.kind === "adopt" || step.kind === "concludeLost";
      return isEnd && look.kind === "held" && ownerLeftMs > 0;
    },
  ],
  [
    "calls a partner for a quote that is taken",
    ({ look }, step) => step.kind === "claim" && look.kind === "free" && step.willCall === look.isTaken,
  ],
  [
    "releases what may have been executed",
    (facts, step) =>
      step.kind === "release" && facts.own.kind !== "notExecuted" && !isOwnCall(facts, "notExecuted"),
  ],
  [
    "says of a call that may have been executed that it was not, but as its own evidence or for a create",
    (facts, step) =>
      (step.kind === "conclude" || step.kind === "concludeLost") &&
      facts.operation === "ACCEPT_QUOTE" &&
      facts.own.kind !== "ended" &&
      !isOwnCall(facts, "notExecuted") &&
      step.verdict.outcome !== "IN_DOUBT",
  ],
  [
    "leaves the end of a call unwritten",
    ({ own }, step) => own.kind === "ended" && (step.kind !== "conclude" || step.verdict !== own.verdict),
  ],
  [
    "begins or waits while it stops, but for the publication of its own conclusion",
    ({ gate, own }, step) =>
      gate?.kind === "stop" &&
      own.kind !== "concluded" &&
      ["claim", "takeSlot", "wait", "readUp", "refuse", "adopt"].includes(step.kind),
  ],
  [
    "stops with a claim that nobody else can release",
    ({ own }, step) => step.kind === "stop" && own.kind === "notExecuted",
  ],
  ["waits for no time", (_, step) => step.kind === "wait" && step.ms <= 0],
  ["takes a slot only to wait or to end", ({ gate }, step) => step.kind === "takeSlot" && gate !== null],
])("never %s", (_, isBroken) => {
  expect(broken(isBroken)).toEqual([]);
});

it("leads on from each combination: what a step changes lets another one follow", () => {
  /** The facts after a step; null where the command has ended. */
  const after = (facts: Facts, step: NextStep): Facts | null => {
    switch (step.kind) {
      case "stop":
      case "reused":
      case "publish":
        return null;
      case "wait":
        return step.watch === null && facts.gate?.kind === "wait"
          ? { ...facts, gate: null }
          : { ...facts, look: { kind: "concluded", position } };
      case "readUp":
        return { ...facts, isReadUp: true };
      case "takeSlot":
        return { ...facts, hasSlot: true };
      case "release":
        return { ...facts, own: { kind: "none" }, look: free(false, false) };
      case "adopt":
        return { ...facts, call: "mayBeExecuted" };
      case "claim":
        return { ...facts, own: { kind: "ended", attemptId: "a", verdict: failed } };
      case "refuse":
      case "conclude":
      case "concludeLost":
        return { ...facts, own: { kind: "concluded" }, look: { kind: "concluded", position } };
    }
  };
  for (const facts of all) {
    let next: Facts | null = facts;
    for (let steps = 0; next !== null; steps++) {
      expect(steps, JSON.stringify(facts)).toBeLessThan(8);
      next = after(next, nextStep(next));
    }
  }
});
