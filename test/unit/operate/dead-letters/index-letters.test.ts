import { describe, expect, test } from "vitest";
import { splitIntoParts } from "../../../../src/bridge/dead-letter-parts.ts";
import { letterIndex, obstacleTo } from "../../../../src/operate/dead-letters/index-letters.ts";
import { encodeHeaders } from "../../../../src/kafka/produce/record-batch.ts";
import type { Header, Incoming, Outgoing } from "../../../../src/kafka/record.ts";

const ADDED: Header[] = [
  ["dead-letter-reason", "UNREADABLE_COMMAND"],
  ["dead-letter-detail", "d".repeat(5_000)],
  ["dead-letter-source", "command"],
  ["dead-letter-topic", "commands"],
  ["dead-letter-partition", "1"],
  ["dead-letter-offset", "7"],
  ["dead-letter-timestamp", "3"],
];

const record = (offset: number, { key, value, headers }: Outgoing): Incoming => ({
  ...{ topic: "letters", partition: 0, offset, timestampMs: offset, key, value },
  headers: encodeHeaders(headers),
});
const parts = (offset: number, id: string): Incoming[] =>
  splitIntoParts({ key: Buffer.from("k"), value: Buffer.alloc(700_000, "v"), headers: ADDED }, id).map(
    (part, nth) => record(offset + nth, part),
  );
const never = (): boolean => false;

test("a letter is what its headers say, shortened", () => {
  const index = letterIndex(never);
  const letter = index.take(record(4, { key: null, value: Buffer.alloc(9_999, "v"), headers: ADDED }));
  expect(letter).toMatchObject({
    place: { partition: 0, offset: 4 },
    reason: "UNREADABLE_COMMAND",
    source: "command",
    origin: { topic: "commands", partition: 1, offset: 7, timestampMs: 3 },
    missing: null,
  });
  expect(letter?.detail.length).toBeLessThan(1_100);
  expect(letter?.preview.length).toBeLessThan(100);
  const strange = index.take(record(5, { key: null, value: null, headers: [["dead-letter-reason", "x"]] }));
  expect(strange).toMatchObject({ source: "unknown", reason: "", origin: null });
});

test("a letter that never was a record has no origin", () => {
  const headers = ADDED.map(([name, value]): Header => [name, /partition|offset/.test(name) ? "-1" : value]);
  const letter = letterIndex(never).take(record(4, { key: null, value: Buffer.from("v"), headers }));
  expect(letter).toMatchObject({ source: "command", origin: null });
});

test("parts are one letter, in the order of their numbers, and the missing ones are named", () => {
  const index = letterIndex(never);
  const [whole, cut] = [parts(10, "a"), parts(20, "b")];
  for (const part of [...[...whole].reverse(), cut[1], cut[1]]) if (part) expect(index.take(part)).toBeNull();
  expect(index.inParts()).toMatchObject([
    { place: { offset: 10 }, missing: null, records: [{ offset: 10 }, { offset: 11 }, { offset: 12 }] },
    { place: { offset: 21 }, missing: "1, 3 of 3" },
  ]);
});

test("a number of parts that nobody could write costs nothing", () => {
  const headers: Header[] = [
    ...ADDED,
    ["dead-letter-part", "1/999999"],
    ["dead-letter-part-of", "value"],
    ["dead-letter-part-id", "x"],
  ];
  const index = letterIndex(never);
  index.take(record(0, { key: null, value: null, headers }));
  expect(index.inParts()[0]?.missing).toBe("2, 3, 4, 5, 6 and more of 999999");
});

describe("there is no use in sending", () => {
  const command = {
    source: "command",
    origin: { topic: "c", partition: 0, offset: 0, timestampMs: 0 },
  } as const;
  const webhook = { source: "webhook", origin: null } as const;
  const always = (): boolean => true;
  test.each([
    ["what is still no notification", webhook, "{", never, true],
    ["a notification", webhook, '{"transactionId":"t","status":"S"}', never, false],
    ["an old command without a time, which would count as new", command, '{"commandId":"c"}', always, true],
    ["an old command with one, which is refused", command, '{"issuedAt":1}', always, false],
    ["a young one without", command, '{"commandId":"c"}', never, false],
    ["what is no JSON", command, "{", always, false],
    ["nothing", command, "", always, false],
  ])("%s", (_, letter, value, isOld, isObstacle) => {
    expect(obstacleTo(letter, Buffer.from(value), isOld) !== null).toBe(isObstacle);
  });
});
