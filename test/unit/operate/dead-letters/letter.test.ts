import { describe, expect, test } from "vitest";
import { explainReason, obstacleTo, readLetter } from "../../../../src/operate/dead-letters/letter.ts";
import { encodeHeaders } from "../../../../src/kafka/produce/record-batch.ts";
import type { Header, Incoming, Outgoing } from "../../../../src/kafka/record.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { configOf } from "../../config/environment.ts";

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
/** `nowMs`: as long after the records of this test as COMMANDS_MAX_AGE, or longer, they are old. */
const at = (nowMs: number) => ({ config: configOf({}), clock: { ...systemClock, now: () => nowMs } });
const young = at(0);

test("a letter is what its headers say, shortened", () => {
  const letter = readLetter(record(4, { key: null, value: Buffer.alloc(9_999, "v"), headers: ADDED }), young);
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
  const strange = readLetter(record(5, { key: null, value: null, headers }), young);
  expect(strange).toMatchObject({ source: "unknown", reason: "", origin: null });
});

test("a letter that never was a record has no origin", () => {
  const headers = ADDED.map(([name, value]): Header => [name, /partition|offset/.test(name) ? "-1" : value]);
  const letter = readLetter(record(4, { key: null, value: Buffer.from("v"), headers }), young);
  expect(letter).toMatchObject({ source: "command", origin: null });
});

test.each([
  ["-9000000000000000000", -9e18],
  ["never", Number.NaN],
])("the time %s of a record is no reason not to show its letter", (time, timestampMs) => {
  const headers = ADDED.map(([name, value]): Header => [name, name.endsWith("timestamp") ? time : value]);
  const letter = readLetter(record(4, { key: null, value: null, headers }), young);
  expect(letter.origin).toEqual({ topic: "commands", partition: 1, offset: 7, timestampMs });
});

test("a letter that was cut says how much of it is there", () => {
  const headers: Header[] = [...ADDED, ["dead-letter-cut", "900000"]];
  const letter = readLetter(record(4, { key: null, value: Buffer.alloc(65_536), headers }), young);
  expect(letter).toMatchObject({ reason: "UNREADABLE_COMMAND", missing: "it has 65536 of 900000 bytes" });
});

describe("there is no use in sending", () => {
  const command = {
    source: "command",
    origin: { topic: "c", partition: 0, offset: 0, timestampMs: 0 },
  } as const;
  const webhook = { source: "webhook", origin: null } as const;
  const old = at(86_400_000);
  test.each([
    ["what is still no notification", webhook, "{", young, true],
    ["a notification", webhook, '{"transactionId":"t","status":"S"}', young, false],
    ["an old command without a time, which would count as new", command, '{"commandId":"c"}', old, true],
    ["an old command with one, which is refused", command, '{"issuedAt":1}', old, false],
    ["a young one without", command, '{"commandId":"c"}', young, false],
    ["what is no JSON", command, "{", old, false],
    ["nothing", command, "", old, false],
  ])("%s", (_, letter, value, services, isObstacle) => {
    expect(obstacleTo(letter, Buffer.from(value), services) !== null).toBe(isObstacle);
  });
});

test("a reason that no version of the bridge gives is explained as one, whatever it is", () => {
  for (const reason of ["constructor", "__proto__", "toString", ""])
    expect(explainReason(reason), reason).toMatch(/does not know the reason/);
});
