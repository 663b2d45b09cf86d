import { expect, test } from "vitest";
import type { Incoming } from "../../../../src/kafka/record.ts";
import { NO_HEADERS } from "../../../../src/kafka/headers.ts";
import { auditEvent, type Action, type AuditOutcome } from "../../../../src/operate/audit/entry.ts";
import { outcomeOf } from "../../../../src/operate/dead-letters/replay.ts";
import { sentLetters } from "../../../../src/operate/dead-letters/plan.ts";
import type { LetterEnd } from "../../../../src/operate/dead-letters/targets.ts";

const from = { host: "h", user: "u", program: "cli" };

const record = (
  offset: number,
  actionId: string,
  letters: readonly string[],
  outcome: AuditOutcome | null,
) => {
  const action: Action = { kind: "replay", subject: "letters", parameters: { letters } };
  const entry = {
    actionId,
    actor: { by: actionId, role: "operator", note: "n", from } as const,
    action,
    outcome,
  };
  const value = Buffer.from(auditEvent(entry, { id: "i", source: "/s", timeMs: 0 }));
  return {
    topic: "audit",
    partition: 0,
    offset,
    timestampMs: offset,
    key: null,
    value,
    headers: NO_HEADERS,
  } as Incoming;
};

test("a letter counts as sent once an entry names its place, and not when it was only announced", () => {
  const sent = sentLetters();
  sent.take(record(1, "ana", ["0/1", "0/2"], null));
  expect(sent.earlier("0/1")).toBeUndefined();
  const ends = new Map<string, LetterEnd>([
    ["0/1", { end: "sent", where: "commands[0]@7" }],
    ["0/2", { end: "left", reason: "gone" }],
  ]);
  sent.take(record(2, "ana", ["0/1", "0/2"], outcomeOf(ends)));
  expect(sent.earlier("0/1")).toEqual({ by: "ana", atMs: 2, where: "commands[0]@7" });
  expect(sent.earlier("0/2")).toBeUndefined();
});

test("who announced a letter first, since a plan was made, sends it; a killed replay of before keeps nobody away", () => {
  const sent = sentLetters();
  sent.take(record(1, "killed", ["0/1"], null));
  sent.forgetAnnounced();
  expect(sent.announcer("0/1")).toBeUndefined();
  sent.take(record(2, "bob", ["0/1"], null));
  expect(["0/1", "0/2"].map(sent.announcer)).toEqual(["bob", undefined]);
  sent.take(record(3, "cid", ["0/1"], null));
  sent.take(record(4, "cid", ["0/1"], { kind: "refused", reason: "bob sends it" }));
  expect(sent.announcer("0/1")).toBe("bob");
  sent.take(record(5, "bob", ["0/1"], { kind: "refused", reason: "interrupted" }));
  expect(sent.announcer("0/1")).toBeUndefined();
});

test("what anybody else wrote to the topic changes nothing", () => {
  const sent = sentLetters();
  for (const value of ["", "{}", '{"data":{"action":"replay","actionId":"a","outcome":7}}', "no JSON"])
    sent.take({ ...record(1, "x", [], null), value: Buffer.from(value) });
  expect(sent.earlier("0/1")).toBeUndefined();
});
