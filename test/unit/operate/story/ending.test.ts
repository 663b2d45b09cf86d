import { expect, test } from "vitest";
import type { Incoming } from "../../../../src/kafka/record.ts";
import { NO_HEADERS } from "../../../../src/kafka/headers.ts";
import { endingsOf, storyRecord, type StoryRecord } from "../../../../src/operate/story/step.ts";

const MINUTE_MS = 60_000;

/** An event that was published at `atMs`, of a status that began at `occurredAt`. */
const event = (stage: string, atMs: number, occurredAt: number | null): StoryRecord => {
  const record: Incoming = {
    topic: "events",
    partition: 0,
    offset: atMs,
    timestampMs: atMs,
    key: null,
    value: null,
    headers: NO_HEADERS,
  };
  const tone = stage === "COMPLETED" ? "good" : "plain";
  return storyRecord(
    record,
    { transactionId: "tx-1", stage, occurredAt },
    { kind: "event", title: stage, tone },
  );
};
const inTurn = (...stages: (readonly [stage: string, occurredAtMinutes: number | null])[]): StoryRecord[] =>
  stages.map(([stage, at], i) => event(stage, i, at === null ? null : at * MINUTE_MS));

test.each([
  ["one status", inTurn(["IN_PROGRESS", 1]), "IN_PROGRESS"],
  [
    "a late event after the end",
    inTurn(["IN_PROGRESS", 1], ["COMPLETED", 3], ["IN_PROGRESS", 2]),
    "COMPLETED",
  ],
  ["a late event without a time", inTurn(["COMPLETED", 3], ["IN_PROGRESS", null]), "COMPLETED"],
  ["an issue that was settled", inTurn(["ISSUE", 1], ["COMPLETED", 2]), "COMPLETED"],
  ["an issue after the end", inTurn(["COMPLETED", 2], ["ISSUE", 3]), "ISSUE"],
  ["a refund", inTurn(["COMPLETED", 2], ["REFUNDED", 3], ["ISSUE", 1]), "REFUNDED"],
  ["events out of order before any end", inTurn(["IN_PROGRESS", 2], ["AWAITING_FUNDS", 1]), "IN_PROGRESS"],
  ["an unknown status last", inTurn(["IN_PROGRESS", 1], ["UNKNOWN", 2]), "IN_PROGRESS"],
])("a transaction stands where its main flow does: %s", (_, events, stage) => {
  const [ending] = endingsOf(events);
  expect(ending?.sentence).toContain(`: ${stage}.`);
});
