import { describe, expect, test } from "vitest";
import { auditLine } from "../../../../../src/bridge/console/audit/audit-line.ts";
import { NO_HEADERS } from "../../../../../src/kafka/headers.ts";
import { auditEvent } from "../../../../../src/operator/audit-event.ts";

const lineOf = (value: string | Buffer | null) =>
  auditLine({
    ...{ topic: "audit", partition: 0, offset: 4, timestampMs: 7, key: null, headers: NO_HEADERS },
    value: typeof value === "string" ? Buffer.from(value) : value,
  });

const entry = {
  actionId: "a-1",
  actor: {
    ...{ by: "ana", role: "operator" as const, note: "the partner said so" },
    from: { host: "h", user: "u", program: "console", address: "192.0.2.7" },
  },
  action: { kind: "resolve" as const, subject: "c-1", parameters: { as: "succeeded" } },
  outcome: null,
};
const meta = { id: "1", source: "/", timeMs: 0 };

test("an entry is shown as it was written", () => {
  expect(lineOf(auditEvent(entry, meta))).toEqual({
    ...{ atMs: 7, place: { topic: "audit", partition: 0, offset: 4 }, actionId: "a-1", action: "resolve" },
    ...{ subject: "c-1", by: "ana", note: "the partner said so", from: entry.actor.from },
    ...{ parameters: '{"as":"succeeded"}', outcome: null },
  });
});

test.each([
  [
    { kind: "done" as const, effect: { place: "t[0]@1" } },
    { kind: "done", text: '{"place":"t[0]@1"}' },
  ],
  [
    { kind: "failed" as const, reason: "Kafka is away" },
    { kind: "failed", text: "Kafka is away" },
  ],
])("an outcome is said in its own words", (outcome, told) => {
  expect(lineOf(auditEvent({ ...entry, outcome }, meta)).outcome).toEqual(told);
});

describe("a record that is no entry still becomes a line", () => {
  test.each([
    null,
    "",
    "null",
    "[]",
    '{"data":[]}',
    '{"data":{"action":7}}',
    Buffer.from([0, 255, 254]),
    "{".repeat(100_000),
    '{"__proto__":{"data":{"action":"x"}}}',
  ])("%#", (value) => {
    const line = lineOf(value);
    expect(line).toMatchObject({ action: "(cannot be read)", by: "", outcome: null });
    expect(line.parameters.length).toBeLessThan(5_000);
  });

  test("an entry with unexpected fields shows the known ones", () => {
    const odd = { action: "x".repeat(9_999), by: 7, note: { a: 1 }, from: "nowhere", outcome: [1] };
    const line = lineOf(JSON.stringify({ subject: 3, data: odd }));
    expect(line).toMatchObject({
      by: "",
      note: '{"a":1}',
      subject: "",
      outcome: { kind: "unknown", text: "[1]" },
    });
    expect(line.action.length).toBeLessThan(600);
    expect(line.from).toEqual({ host: "", user: "", program: "", address: "" });
  });
});
