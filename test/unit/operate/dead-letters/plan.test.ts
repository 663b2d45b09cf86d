import { describe, expect, test } from "vitest";
import type { Incoming } from "../../../../src/kafka/record.ts";
import { NO_HEADERS } from "../../../../src/kafka/headers.ts";
import { auditEvent, type Action, type AuditOutcome } from "../../../../src/operate/audit/entry.ts";
import type { DeadLetter } from "../../../../src/operate/dead-letters/letter.ts";
import { inOriginalOrder, planOf, sentLetters } from "../../../../src/operate/dead-letters/plan.ts";
import { readRef } from "../../../../src/operate/read-topic.ts";

/** A letter of a command that nothing is known against. */
const letter = (offset: number, more: Partial<DeadLetter> = {}): DeadLetter => ({
  place: { partition: 0, offset },
  timestampMs: offset,
  reason: "UNREADABLE_COMMAND",
  detail: "no command",
  source: "command",
  origin: { topic: "commands", partition: 0, offset, timestampMs: 0 },
  receivedAtMs: null,
  bytes: 10,
  missing: null,
  obstacle: null,
  preview: "",
  ...more,
});

const rules = { isNamed: false, commands: "commands", earlier: () => undefined };
const plan = (one: DeadLetter, by: Partial<Parameters<typeof planOf>[1]> = {}) =>
  planOf([one], { ...rules, ...by });

describe("a letter is", () => {
  test.each([
    ["no dead letter of the bridge", letter(1, { source: "unknown" })],
    ["CONTRADICTING_ANSWER", letter(1, { reason: "CONTRADICTING_ANSWER" })],
    ["would be refused again", letter(1, { reason: "COMMAND_ID_REUSED" })],
    ["cut, because it was too large for the topic", letter(1, { missing: "it has 2 of 3 bytes" })],
    ["no origin", letter(1, { origin: null })],
    ["another topic", letter(1, { origin: { ...at(0), topic: "events" } })],
    ["would come to nothing", letter(1, { obstacle: "still not understood" })],
  ])("skipped: %s", (why, given) => {
    const { send, skipped } = plan(given);
    expect(send).toEqual([]);
    expect(skipped[0]?.why).toContain(why);
  });

  test("sent where its ref names it, although it would be refused again", () => {
    expect(plan(letter(1, { reason: "COMMAND_ID_REUSED" }), { isNamed: true }).send).toHaveLength(1);
  });
});

function at(offset: number) {
  return { topic: "commands", partition: 0, offset, timestampMs: 0 };
}

test("letters are sorted by where they came from, wherever they are", () => {
  const later = letter(1, { origin: at(9) });
  const earlier = letter(2, { origin: at(3), place: { partition: 5, offset: 2 } });
  expect([later, earlier].sort(inOriginalOrder)).toEqual([earlier, later]);
});

test.each([
  ["3/4711", { partition: 3, offset: 4711 }],
  ["3", null],
  ["-1/2", null],
  ["1/2/3", null],
  ["a/b", null],
])("%s is read as a ref", (text, place) => {
  expect(readRef(text)).toEqual(place);
});

const from = { host: "h", user: "u", program: "cli" };
const record = (
  offset: number,
  actionId: string,
  letters: readonly string[],
  outcome: AuditOutcome | null,
  by = actionId,
) => {
  const action: Action = { kind: "replay", subject: "letters", parameters: { letters } };
  const actor = { by, role: "operator", note: "n", from } as const;
  const event = auditEvent({ actionId, actor, action, outcome }, { id: "i", source: "/s", timeMs: 0 });
  const place = { topic: "audit", partition: 0, offset, timestampMs: offset };
  return { ...place, key: null, value: Buffer.from(event), headers: NO_HEADERS } as Incoming;
};

test("who announced a letter first, since a plan was made, sends it; a killed replay of before keeps nobody away", () => {
  const sent = sentLetters();
  sent.take(record(1, "killed", ["0/1"], null));
  sent.forgetAnnounced();
  expect(sent.announcer("0/1")).toBeUndefined();
  sent.take(record(2, "bob", ["0/1"], null));
  expect(["0/1", "0/2"].map(sent.announcer)).toEqual(["bob", undefined]);
  // In another window.
  sent.take(record(3, "bob's second", ["0/1"], null, "bob"));
  sent.take(record(4, "bob's second", ["0/1"], { kind: "refused", reason: "bob sends it" }, "bob"));
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
