import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { unwrap } from "../../../src/dead-letters/headers.ts";
import { openDeadLetters } from "../../../src/dead-letters/park.ts";
import type { Services } from "../../../src/kafka/wire/services.ts";
import { encodeHeaders } from "../../../src/kafka/produce/record-batch.ts";
import { PublishError } from "../../../src/kafka/produce/publish-error.ts";
import { NO_HEADERS } from "../../../src/kafka/headers.ts";
import type { Header, Incoming, Outgoing } from "../../../src/kafka/record.ts";
import type { Traces } from "../../../src/runtime/traces.ts";

const span = { traceparent: "00-ours", tracestate: "a=b", isSampled: false, end: () => undefined };
const traces: Traces = { begin: () => span, propagates: true, close: () => Promise.resolve() };

/** Dead letters with traces on, in a topic that refuses values of more than `maxBytes`. */
const setUp = (maxBytes: number) => {
  const written: Outgoing[] = [];
  const publish = (record: Outgoing): Promise<{ partition: number; offset: number }> => {
    if ((record.value?.length ?? 0) > maxBytes) return Promise.reject(new PublishError("refused", "large"));
    return Promise.resolve({ partition: 0, offset: written.push(record) - 1 });
  };
  const letters = openDeadLetters({
    config: { topics: { deadLetters: "letters" } },
    metrics: { deadLetters: { inc: () => undefined } },
    traces,
    publisher: () => ({ publish }),
  } as unknown as Services);
  return { letters, written };
};

/** Its headers as they stand in the topic. */
const headersOf = ({ headers, encodedHeaders = NO_HEADERS }: Outgoing) => {
  const { count, bytes } = encodeHeaders(headers);
  return { count: encodedHeaders.count + count, bytes: Buffer.concat([encodedHeaders.bytes, bytes]) };
};

const value = randomBytes(700_000);

test.each([
  ["whole", 10_000_000, undefined, value],
  ["cut", 300_000, "700000", value.subarray(0, 65_536)],
])(
  "a notification that tells of its trace is known for the bridge's own letter, %s",
  async (_, max, cut, kept) => {
    const { letters, written } = setUp(max);
    await letters.parkNotification({ body: value, detail: "odd", receivedAt: 7, span }, 1_000);
    const [record] = written as [Outgoing];
    const added = unwrap(headersOf(record))?.added;
    expect([written.length, added?.get("received-at"), added?.get("cut")]).toEqual([1, "7", cut]);
    expect(record.value?.equals(kept)).toBe(true);
    expect(record.headers).toContainEqual(["traceparent", "00-ours"]);
  },
);

test.each([
  ["whole", 10_000_000, undefined, value],
  ["cut", 300_000, "700000", value.subarray(0, 65_536)],
])("a command's letter holds its sender's trace, and none of the bridge's, %s", async (_, max, cut, kept) => {
  const { letters, written } = setUp(max);
  const original: Header[] = [
    ["traceparent", "00-theirs"],
    ["a", null],
  ];
  const headers = encodeHeaders(original);
  const record: Incoming = { topic: "c", partition: 1, offset: 2, timestampMs: 3, key: null, value, headers };
  await letters.parkCommand(record, "UNREADABLE_COMMAND", "odd", span);
  const [letter] = written as [Outgoing];
  const unwrapped = unwrap(headersOf(letter));
  expect([written.length, unwrapped?.added.get("cut")]).toEqual([1, cut]);
  expect(letter.value?.equals(kept)).toBe(true);
  expect(unwrapped?.original).toEqual(headers);
});

test("a letter that is refused although its value is short is not durable", async () => {
  const { letters, written } = setUp(10);
  const parking = letters.parkNotification({ body: Buffer.alloc(11), detail: "odd", receivedAt: 7 }, 1_000);
  await expect(parking).rejects.toThrow("large");
  expect(written).toEqual([]);
});
