import { describe, expect, test } from "vitest";
import { inOriginalOrder, readRef, type DeadLetter } from "../../../../src/operate/dead-letters/letter.ts";
import { planLines, planOf, type PlanRules } from "../../../../src/operate/dead-letters/plan.ts";
import { letter } from "./letters.ts";

const rules: PlanRules = {
  isNamed: false,
  commandsTopic: "commands",
  eventsTopic: "events",
  maxAgeMs: 10,
  nowMs: 5,
  sent: () => [],
};
const plan = (one: DeadLetter, by: Partial<PlanRules> = {}) => planOf([one], { ...rules, ...by }, []);
const warningsOf = (one: DeadLetter, by: Partial<PlanRules> = {}): string[] => [
  ...plan(one, by).warnings.keys(),
];

describe("a letter is", () => {
  test("sent to where it came from; a notification to the events", () => {
    expect(plan(letter(1)).send).toMatchObject([{ topic: "commands" }]);
    const webhook = letter(1, { source: "webhook", origin: null, receivedAtMs: 0 });
    expect(plan({ ...webhook, reason: "UNREADABLE_NOTIFICATION" })).toMatchObject({
      send: [{ topic: "events" }],
      warnings: new Map(),
    });
  });

  test.each([
    ["no dead letter of the bridge", letter(1, { source: "unknown" }), {}],
    ["CONTRADICTING_ANSWER", letter(1, { reason: "CONTRADICTING_ANSWER" }), { isNamed: true }],
    ["cut, because it was too large for the topic", letter(1, { missing: "it has 2 of 3 bytes" }), {}],
    ["no origin", letter(1, { origin: null }), {}],
    ["another topic", letter(1, { origin: { ...at(0), topic: "events" } }), { isNamed: true }],
    ["would be refused again", letter(1, { reason: "COMMAND_ID_REUSED" }), {}],
    ["would come to nothing", letter(1, { obstacle: "still not understood" }), {}],
  ])("skipped: %s", (why, given, by) => {
    const { send, skipped } = plan(given, by);
    expect(send).toEqual([]);
    expect(skipped[0]?.why).toContain(why);
  });

  test("sent with a warning where it was answered, or will be refused", () => {
    expect(warningsOf(letter(1))).toEqual([expect.stringContaining("answered REJECTED")]);
    const reused = letter(1, { reason: "COMMAND_ID_REUSED" });
    expect(warningsOf(reused, { isNamed: true })).toEqual([expect.stringContaining("refused again")]);
    expect(warningsOf(letter(1), { nowMs: 11 })).toEqual([expect.stringContaining("COMMAND_TOO_OLD")]);
  });

  test("not sent twice", () => {
    const sent = (ref: string) => (ref === "0/1" ? [{ by: "ana", atMs: 0, where: "commands[0]@7" }] : []);
    expect(plan(letter(1), { sent, isNamed: true }).skipped).toMatchObject([
      { why: "replayed before", detail: "1970-01-01T00:00:00.000Z by ana: commands[0]@7" },
    ]);
    expect(plan(letter(2), { sent }).send).toHaveLength(1);
  });
});

function at(offset: number) {
  return { topic: "commands", partition: 0, offset, timestampMs: 0 };
}

test("a plan counts what is sent, and says why the rest is not", () => {
  const letters = [
    letter(1),
    letter(2),
    letter(3, { missing: "it has 2 of 3 bytes" }),
    letter(4, { missing: "it has 1 of 2 bytes" }),
  ];
  expect(planLines(planOf(letters, { ...rules, nowMs: 99 }, ["0/9"]))).toEqual([
    "2 of 4 dead letters are to be sent.",
    "  to commands: 2 UNREADABLE_COMMAND",
    expect.stringContaining("Warning: 2 older than COMMANDS_MAX_AGE"),
    "  not sent: 2 cut, because it was too large for the topic, the first is 0/3 (it has 2 of 3 bytes)",
    "  There is no dead letter 0/9.",
  ]);
});

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
