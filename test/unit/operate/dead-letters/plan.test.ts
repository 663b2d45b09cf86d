import { describe, expect, test } from "vitest";
import type { DeadLetter } from "../../../../src/operate/dead-letters/letter.ts";
import { inOriginalOrder, planOf } from "../../../../src/operate/dead-letters/plan.ts";
import { readRef } from "../../../../src/operate/read-topic.ts";
import { letter } from "./letters.ts";

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

  test("not sent twice", () => {
    const replay = { by: "ana", atMs: 0, where: "commands[0]@7" };
    const earlier = (ref: string) => (ref === "0/1" ? replay : undefined);
    expect(plan(letter(1), { earlier }).skipped).toMatchObject([
      { why: "replayed before", detail: "1970-01-01T00:00:00.000Z by ana: commands[0]@7" },
    ]);
    expect(plan(letter(2), { earlier }).send).toHaveLength(1);
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
