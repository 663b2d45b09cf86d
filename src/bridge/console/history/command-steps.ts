import type { Checked } from "../../../commands-to-results/check.ts";
import type { Entry } from "../../../commands-to-results/journal-rules/entry.ts";
import type { Step } from "../../../console/ports.ts";
import type { Incoming } from "../../../kafka/record.ts";
import type { CommandOutcome, CommandResult } from "../../../records.ts";
import { iso } from "../../../runtime/instant.ts";
import { truncate } from "../truncate.ts";

type Fact = readonly [name: string, value: string];

const MAX_FACT_LENGTH = 1_000;

/** The step of a record. Facts without a value are left out. */
export const stepOf = (
  { topic, partition, offset, timestampMs }: Incoming,
  step: Pick<Step, "kind" | "title" | "tone"> & {
    facts: readonly (readonly [string, string | number | null])[];
    payload: string | null;
  },
): Step => ({
  ...step,
  atMs: timestampMs,
  place: { topic, partition, offset },
  title: truncate(step.title, MAX_FACT_LENGTH),
  facts: step.facts.flatMap(([name, value]): Fact[] =>
    value === null ? [] : [[name, truncate(String(value), MAX_FACT_LENGTH)]],
  ),
  payload: step.payload === null ? null : truncate(step.payload),
});

const OPENING_BRACE = 0x7b;
const MAX_TEXT_BYTES = 65_536;

export const commandStep = (record: Incoming, checked: Checked): Step => {
  const text =
    record.value?.[0] === OPENING_BRACE ? record.value.subarray(0, MAX_TEXT_BYTES).toString("utf8") : null;
  const key: [string, string | null] = ["key", record.key?.toString("utf8") ?? null];
  if (!checked.ok) {
    const { code, message, quoteId } = checked;
    const facts = [["code", code], ["message", message], ["quoteId", quoteId], key] as const;
    return stepOf(record, {
      kind: "command",
      title: "Command that breaks a rule",
      tone: "bad",
      facts,
      payload: text,
    });
  }
  const { issuedAt, expiresAt, request } = checked.command;
  const { type, ...fields } = request;
  const title = type === "AcceptQuote" ? "Command: accept a quote" : "Command: create a quote";
  return stepOf(record, {
    kind: "command",
    title,
    tone: "plain",
    facts: [
      ...Object.entries(fields),
      ["issued at", iso(issuedAt)],
      ["expires at", expiresAt === null ? null : iso(expiresAt)],
      ["form", text === null ? "Avro" : "JSON"],
      key,
    ],
    payload: text ?? JSON.stringify(checked.command),
  });
};

const TONES = {
  SUCCEEDED: "good",
  REJECTED: "bad",
  FAILED: "bad",
  IN_DOUBT: "bad",
} as const satisfies Record<CommandOutcome, Step["tone"]>;

const factsOf = (result: CommandResult): readonly (readonly [string, string | number | null])[] => [
  ["outcome", result.outcome],
  ["final", result.final ? "yes" : "no: one final result may follow"],
  ["HTTP status", result.httpStatus],
  ["error", result.error === null ? null : `${result.error.code}: ${result.error.message}`],
  ["decided by", result.decidedBy],
  ["calls sent", result.attempts],
  ["quoteId", result.quoteId],
  ["externalId", result.externalId],
  ["taken up at", iso(result.receivedAt)],
  ["decided at", iso(result.completedAt)],
  ["resultId", result.resultId],
];

export const resultStep = (record: Incoming, result: CommandResult): Step =>
  stepOf(record, {
    kind: "result",
    title: `Result: ${result.outcome}`,
    tone: TONES[result.outcome],
    facts: factsOf(result),
    payload: result.response,
  });

/** @param concluded the result that a conclusion holds; null where it cannot be read */
export const journalStep = (record: Incoming, { step }: Entry, concluded: CommandResult | null): Step => {
  switch (step.kind) {
    case "claimed":
      return stepOf(record, {
        kind: "claim",
        title: "Claimed: one call may be made",
        tone: "wait",
        facts: [
          ["attempt", step.attemptId],
          ["taken up at", iso(step.receivedAt)],
          ["the call ends within", `${step.callWithinMs} ms`],
          ["calls before", step.attempts],
          ["quoteId", step.quoteId],
          ["in place of", step.supersedes],
        ],
        payload: null,
      });
    case "released":
      return stepOf(record, {
        kind: "release",
        title: "Released: the call was not made, or did nothing",
        tone: "plain",
        facts: [["attempt", step.attemptId]],
        payload: null,
      });
    case "concluded": {
      const isDoubt = step.outcome === "IN_DOUBT";
      return stepOf(record, {
        kind: isDoubt ? "doubt" : "conclusion",
        title: isDoubt
          ? "In doubt: nobody knows whether the partner executed it"
          : `Concluded: ${step.outcome}`,
        tone: TONES[step.outcome],
        facts: [
          ["operator's note", step.note],
          ["attempt", step.attemptId],
          ...(concluded === null
            ? ([["result", "it cannot be read"]] as const)
            : factsOf(concluded).filter(([name]) => name !== "final")),
        ],
        payload: concluded?.response ?? null,
      });
    }
    case "published":
      return stepOf(record, {
        kind: "other",
        title: "The final result stands in the results topic",
        tone: "plain",
        facts: [["resultId", step.resultId]],
        payload: null,
      });
  }
};

/** A record in an unknown form: anybody, and another version of the bridge, may write to the topic. */
export const unreadableStep = (record: Incoming): Step =>
  stepOf(record, {
    kind: "other",
    title: "A record that this version cannot read",
    tone: "bad",
    facts: [["bytes", record.value?.length ?? "null"]],
    payload: null,
  });

/**
 * Before an operator's decision, a release of an attempt that does not exist is written to learn the
 * journal's time.
 */
export const withoutClaim = (step: Step): Step => ({
  ...step,
  kind: "other",
  title: "The journal's time was asked for, to know how old a claim is",
});
