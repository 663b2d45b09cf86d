import { expect, test } from "vitest";
import { largestRecordsFor } from "../../../../src/kafka/wire/topic-demands.ts";
import { toRecord } from "../../../../src/commands-to-results/accept-once/entry.ts";
import { MAX_ID_LENGTH } from "../../../../src/commands-to-results/field-rules.ts";
import { DEFAULT_MAX_MESSAGE_BYTES } from "../../../../src/kafka/cluster/topics.ts";
import { cloudEventHeaders } from "../../../../src/kafka/produce/cloud-event.ts";
import { recordBatch } from "../../../../src/kafka/produce/record-batch.ts";
import { encoder } from "../../../../src/kafka/schema/codec.ts";
import { readSchema } from "../../../../src/kafka/schema/schemas.ts";
import { MAX_TEXT_LENGTH } from "../../../../src/operate/actor.ts";
import { auditEvent, type AuditEntry } from "../../../../src/operate/audit/entry.ts";
import { outcomeOf } from "../../../../src/operate/dead-letters/replay.ts";
import type { CommandJournalEntry, CommandResult } from "../../../../src/records.ts";
import { MAX_FIELD_BYTES, MAX_FIELDS } from "../../../../src/runtime/json-pointer.ts";
import { configOf } from "../../config/environment.ts";

const MOST = 524_288;
const config = configOf({ PARTNER_MAX_RESPONSE_BYTES: String(MOST), WEBHOOK_MAX_BODY_BYTES: String(MOST) });
const needed = (role: string): number =>
  Math.max(
    ...largestRecordsFor(config, config.bridge.flows).flatMap((room) =>
      room.role === role ? [room.bytes] : [],
    ),
  );

/** The longest identifier that a command may have: characters of three bytes. */
const LONGEST = "\u20ac".repeat(MAX_ID_LENGTH);
const result: CommandResult = {
  resultId: "0".repeat(32),
  commandId: LONGEST,
  operation: "ACCEPT_QUOTE",
  outcome: "IN_DOUBT",
  final: false,
  quoteId: LONGEST,
  externalId: LONGEST,
  transactionId: LONGEST,
  httpStatus: 503,
  response: "x".repeat(MOST),
  fields: Object.fromEntries(
    Array.from({ length: MAX_FIELDS }, (_, n) => [`${n}`.padStart(64, "n"), "x".repeat(MAX_FIELD_BYTES)]),
  ),
  error: { code: "ANSWER_LOST", message: "\u20ac".repeat(1_000) },
  attempts: 1,
  decidedBy: "PARTNER",
  receivedAt: 1_790_000_000_123,
  completedAt: 1_790_000_000_123,
};
const value = encoder<CommandResult>(readSchema("command-result"), 1)(result);

const LETTERS = Array.from({ length: 100 }, (_, n) => `999/${10 ** 12 + n}`);

test("the largest conclusion has room in the journal", () => {
  const entry = toRecord({
    operation: "ACCEPT_QUOTE",
    commandId: LONGEST,
    step: {
      kind: "concluded",
      attemptId: "0".repeat(36),
      requestHash: "0".repeat(64),
      outcome: "IN_DOUBT",
      resultId: result.resultId,
      result: value,
      note: null,
      traceparent: null,
    },
  });
  const encoded = encoder<CommandJournalEntry>(readSchema("command-journal-entry"), 1)(entry);
  const batch = recordBatch([{ key: Buffer.from(LONGEST), value: encoded, headers: [] }], 0);
  expect(batch.length).toBeLessThan(needed("journal"));
});

test("the largest result has room in its topic", () => {
  const source = `https://${"x".repeat(2_000)}`;
  const { encodedHeaders, headersOf } = cloudEventHeaders({ type: "some.Type", source });
  const headers = headersOf({
    id: result.resultId,
    subject: LONGEST,
    timeMs: 0,
    trace: { traceparent: "x".repeat(512), tracestate: "x".repeat(512) },
  });
  headers.push(["correlation-id", LONGEST]);
  const batch = recordBatch([{ key: Buffer.from(LONGEST), value, headers, encodedHeaders }], 0);
  expect(batch.length).toBeLessThan(needed("results"));
});

test("each flow asks for room in its own topics, and in that of the dead letters", () => {
  const rolesOf = (flow: "webhooks" | "commands"): string[] =>
    largestRecordsFor(config, [flow])
      .map(({ role }) => role)
      .sort();
  expect(rolesOf("webhooks")).toEqual(["deadLetters", "transactionStatus"]);
  expect(rolesOf("commands")).toEqual(["deadLetters", "journal", "results"]);
  expect(largestRecordsFor(config, ["webhooks"])[0]?.setting).toBe("WEBHOOK_MAX_BODY_BYTES=524288");
  // What Kafka takes by default is enough for whatever may be set, but for dead letters.
  for (const role of ["transactionStatus", "journal", "results"])
    expect(needed(role)).toBeLessThan(1_048_588);
});

test.each<[string, Pick<AuditEntry, "action" | "outcome">]>([
  [
    "a doubt, whose second person confirms",
    {
      action: { kind: "resolve", subject: LONGEST, parameters: { quoteId: LONGEST, as: "succeeded" } },
      outcome: { kind: "proposed", reason: LONGEST, quoteId: LONGEST },
    },
  ],
  [
    "a hundred dead letters",
    {
      action: {
        kind: "replay",
        subject: "100 dead letters",
        parameters: { topic: "t".repeat(249), letters: LETTERS },
      },
      outcome: outcomeOf(
        new Map(
          LETTERS.map((ref, n) => {
            const where = `${"t".repeat(249)}[999]@1000000000000`;
            return [
              ref,
              n % 2 === 0
                ? { end: "sent", where, place: where }
                : { end: "left", reason: "\u20ac".repeat(5_000) },
            ] as const;
          }),
        ),
      ),
    },
  ],
])("the audit entry of %s has room in its topic", (_, entry) => {
  const text = "\u20ac".repeat(MAX_TEXT_LENGTH);
  const from = { host: "h".repeat(253), user: "u".repeat(32), program: "console" };
  const value = auditEvent(
    { actionId: "0".repeat(36), actor: { by: text, role: "operator", note: text, from }, ...entry },
    { id: "0".repeat(36), source: `/cambio-bridge/${"x".repeat(1_000)}`, timeMs: 0 },
  );
  expect(Buffer.byteLength(value)).toBeLessThan(DEFAULT_MAX_MESSAGE_BYTES - 1_000);
});
