import { describe, expect, test } from "vitest";
import { explainReason, letterOf, obstacleTo } from "../../../../src/operate/dead-letters/letter.ts";
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
const never = (): boolean => false;

test("a letter is what its headers say, shortened", () => {
  const letter = letterOf(record(4, { key: null, value: Buffer.alloc(9_999, "v"), headers: ADDED }), never);
  expect(letter).toMatchObject({
    place: { partition: 0, offset: 4 },
    reason: "UNREADABLE_COMMAND",
    source: "command",
    origin: { topic: "commands", partition: 1, offset: 7, timestampMs: 3 },
    missing: null,
  });
  expect(letter.detail.length).toBeLessThan(1_100);
  expect(letter.preview.length).toBeLessThan(100);
  const headers: Header[] = [["dead-letter-reason", "x"]];
  const strange = letterOf(record(5, { key: null, value: null, headers }), never);
  expect(strange).toMatchObject({ source: "unknown", reason: "", origin: null });
});

test("a letter that never was a record has no origin", () => {
  const headers = ADDED.map(([name, value]): Header => [name, /partition|offset/.test(name) ? "-1" : value]);
  const letter = letterOf(record(4, { key: null, value: Buffer.from("v"), headers }), never);
  expect(letter).toMatchObject({ source: "command", origin: null });
});

test.each([
  ["-9000000000000000000", -9e18],
  ["never", Number.NaN],
])("the time %s of a record is no reason not to show its letter", (time, timestampMs) => {
  const headers = ADDED.map(([name, value]): Header => [name, name.endsWith("timestamp") ? time : value]);
  const letter = letterOf(record(4, { key: null, value: null, headers }), never);
  expect(letter.origin).toEqual({ topic: "commands", partition: 1, offset: 7, timestampMs });
});

test("a letter that was cut says how much of it is there", () => {
  const headers: Header[] = [...ADDED, ["dead-letter-cut", "900000"]];
  const letter = letterOf(record(4, { key: null, value: Buffer.alloc(65_536), headers }), never);
  expect(letter).toMatchObject({ reason: "UNREADABLE_COMMAND", missing: "it has 65536 of 900000 bytes" });
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

test("a reason that no version of the bridge gives is explained as one, whatever it is", () => {
  for (const reason of ["constructor", "__proto__", "toString", ""])
    expect(explainReason(reason), reason).toMatch(/does not know the reason/);
});
