import { describe, expect, test } from "vitest";
import type { LetterState } from "../../../../src/operator/replay/claims.ts";
import { nextBatch } from "../../../../src/operator/replay/next-batch.ts";
import { inOriginalOrder, readRef } from "../../../../src/operator/replay/dead-letter.ts";
import { decide, planLines, planOf, type PlanRules } from "../../../../src/operator/replay/plan.ts";
import { letter } from "./letters.ts";

const rules: PlanRules = {
  isNamed: false,
  again: false,
  commandTopics: ["commands"],
  eventsTopic: "events",
  maxAgeMs: 10,
  nowMs: 5,
};
const free: LetterState = { kind: "free" };
const sent: LetterState = { kind: "sent", sent: { by: "ana", atMs: 0, where: "commands[0]@7" } };

describe("a letter is", () => {
  test("sent to where it came from; a notification to the events", () => {
    const rejected: unknown = expect.stringContaining("answered REJECTED");
    expect(decide(letter(1), free, rules)).toEqual({ kind: "send", topic: "commands", warnings: [rejected] });
    const webhook = letter(1, { source: "webhook", origin: null, receivedAtMs: 0 });
    expect(decide(webhook, free, rules)).toMatchObject({ kind: "send", topic: "events" });
    const notUnderstood = { ...webhook, reason: "UNREADABLE_NOTIFICATION" };
    expect(decide(notUnderstood, free, rules)).toEqual({ kind: "send", topic: "events", warnings: [] });
  });

  test.each([
    ["no dead letter of the bridge", letter(1, { source: "unknown" }), rules],
    ["CONTRADICTING_ANSWER", letter(1, { reason: "CONTRADICTING_ANSWER" }), { ...rules, isNamed: true }],
    ["parts are missing", letter(1, { missing: "2 of 3" }), rules],
    ["no origin", letter(1, { origin: null }), rules],
    ["another topic", letter(1, { origin: { ...at(0), topic: "other" } }), rules],
    ["would be refused again", letter(1, { reason: "COMMAND_ID_REUSED" }), rules],
    ["would come to nothing", letter(1, { obstacle: "still not understood" }), rules],
  ])("skipped: %s", (why, given, by) => {
    const decided = decide(given, free, by);
    expect(decided.kind === "skip" && decided.why).toContain(why);
  });

  test("sent with a warning where it was answered, will be refused, or is looked up first", () => {
    const answered: unknown = expect.stringContaining("answered REJECTED");
    expect(decide(letter(1), free, rules)).toMatchObject({ warnings: [answered] });
    const reused = decide(letter(1, { reason: "COMMAND_ID_REUSED" }), free, { ...rules, isNamed: true });
    expect(reused).toMatchObject({ kind: "send", warnings: [expect.stringContaining("refused again")] });
    const old = decide(letter(1), free, { ...rules, nowMs: 11 });
    expect(old).toMatchObject({ kind: "send", warnings: [expect.stringContaining("COMMAND_TOO_OLD")] });
    expect(decide(letter(1), { kind: "unsettled", claims: [] }, rules)).toMatchObject({
      warnings: [expect.stringContaining("did not finish"), answered],
    });
  });

  test("not sent twice without --again, nor while another replay is sending it", () => {
    expect(decide(letter(1), sent, rules)).toMatchObject({
      why: "replayed before",
      detail: "1970-01-01T00:00:00.000Z by ana: commands[0]@7",
    });
    expect(decide(letter(1), sent, { ...rules, again: true })).toMatchObject({ kind: "send" });
    const atWork: LetterState = { kind: "atWork", by: "bob", atMs: 0 };
    expect(decide(letter(1), atWork, { ...rules, again: true })).toMatchObject({ kind: "skip" });
  });
});

function at(offset: number) {
  return { topic: "commands", partition: 0, offset, timestampMs: 0 };
}

test("a plan counts what is sent, and says why the rest is not", () => {
  const letters = [letter(1), letter(2), letter(3, { missing: "2 of 3" }), letter(4, { missing: "1 of 2" })];
  const plan = planOf(letters, (each) => decide(each, free, { ...rules, nowMs: 99 }));
  expect(planLines(plan)).toEqual([
    "2 of 4 dead letters are to be sent.",
    "  to commands: 2 UNREADABLE_COMMAND",
    expect.stringContaining("Warning: 2 older than COMMANDS_MAX_AGE"),
    "  not sent: 2 parts are missing, the first is 0/3 (2 of 3)",
  ]);
});

test("letters are sorted by where they came from, wherever they are", () => {
  const later = letter(1, { origin: at(9) });
  const earlier = letter(2, { origin: at(3), place: { partition: 5, offset: 2 } });
  expect([later, earlier].sort(inOriginalOrder)).toEqual([earlier, later]);
});

test("a batch has letters of one topic, bounded in number and size, but at least one", () => {
  const to = (topic: string, bytes = 1) => ({ letter: letter(1, { bytes }), topic });
  const many = Array.from({ length: 300 }, () => to("a"));
  expect(nextBatch(many, 1_000)).toHaveLength(100);
  expect(nextBatch(many, 2)).toHaveLength(30);
  expect(nextBatch([to("a"), to("b"), to("a")], 50)).toHaveLength(1);
  expect(nextBatch([to("a", 1e9), to("a")], 50)).toHaveLength(1);
  expect(nextBatch([to("a", 1e7), to("a", 1e7)], 50)).toHaveLength(1);
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
