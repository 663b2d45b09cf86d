import { expect, test } from "vitest";
import type { FoldedEntry } from "../../../../src/commands-to-results/accept-once/entry.ts";
import { changeOf, type StateBefore } from "../../../../src/commands-to-results/accept-once/fold-rules.ts";
import { blocks } from "../../../support/documents.ts";

type Operation = FoldedEntry["operation"];
type State = "Free" | "Held" | "InDoubt" | "Spent";

const requestHash = "content";
const times = { callWithinMs: 20_000, receivedAt: 0, attempts: 0 };
const claim = { commandId: "c", attemptId: "own", requestHash, timestampMs: 0, ...times };
const nothingKnown = { open: null, final: null, spent: false, otherContent: false, unpublished: null };
const STATES: Record<State, StateBefore> = {
  Free: nothingKnown,
  Held: { ...nothingKnown, open: { claim, inDoubt: false } },
  InDoubt: { ...nothingKnown, open: { claim, inDoubt: true } },
  Spent: { ...nothingKnown, spent: true },
};

const claimed = (attemptId: string, supersedes: string | null): FoldedEntry["step"] => {
  return { kind: "claimed", attemptId, requestHash, supersedes, ...times };
};
type Outcome = (FoldedEntry["step"] & { kind: "concluded" })["outcome"];
const concluded = (outcome: Outcome, attemptId: string): FoldedEntry["step"] => {
  return { kind: "concluded", attemptId, requestHash, outcome, resultId: "r" };
};
const OUTCOMES: readonly Outcome[] = ["SUCCEEDED", "REJECTED", "FAILED", "IN_DOUBT"];

/** Every kind of step that an entry of command c may hold. */
const STEPS: readonly FoldedEntry["step"][] = [
  claimed("another", null),
  claimed("another", "own"),
  ...["own", "another"].map((attemptId) => ({ kind: "released" as const, attemptId })),
  ...["own", "another"].flatMap((attemptId) => OUTCOMES.map((outcome) => concluded(outcome, attemptId))),
  { kind: "published", resultId: "r" },
];

/** The diagram's words for a step. */
const labelOf = (step: FoldedEntry["step"]): string => {
  if (step.kind === "claimed")
    return step.supersedes === null ? "Claimed" : "Claimed that supersedes (creates only)";
  if (step.kind === "released") return "Released, same attempt";
  if (step.kind === "published") return "Published";
  if (step.outcome === "SUCCEEDED") return "Concluded SUCCEEDED";
  return step.outcome === "IN_DOUBT"
    ? "Concluded IN_DOUBT, same attempt"
    : "Concluded REJECTED or FAILED, same attempt";
};

/** The key's state after an entry of command c; null when the entry changes nothing. */
const after = (state: State, operation: Operation, step: FoldedEntry["step"]): State | null => {
  const change = changeOf(STATES[state], { operation, commandId: "c", step });
  if (change.kind === "held") return "Held";
  if (change.kind === "freed") return "Free";
  if (change.kind === "doubted") return "InDoubt";
  if (change.kind !== "final") return null;
  if (change.succeeded) return "Spent";
  return change.closes ? "Free" : null;
};

test("the diagram of a key's states shows every transition that the rules make, and no other", () => {
  const diagram = blocks("docs/accept-protocol.md", "mermaid").find((one) => one.startsWith("state")) ?? "";
  const drawn = [...diagram.matchAll(/^ *(\w+) --> (\w+): (.+)$/gm)].map(([, ...parts]) => parts.join(" | "));
  const made = new Set(["Spent | Spent | everything"]);
  for (const operation of ["ACCEPT_QUOTE", "CREATE_QUOTE"] as const)
    for (const state of Object.keys(STATES) as State[])
      for (const step of STEPS) {
        const next = after(state, operation, step);
        if (state === "Spent") expect(next ?? state).toBe("Spent");
        else if (next !== null) made.add([state, next, labelOf(step)].join(" | "));
      }
  expect(drawn.toSorted()).toEqual([...made].toSorted());
});
