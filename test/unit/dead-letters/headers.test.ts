import { expect, test } from "vitest";
import { unwrap } from "../../../src/dead-letters/headers.ts";
import { encodeHeaders } from "../../../src/kafka/produce/record-batch.ts";
import type { Header } from "../../../src/kafka/record.ts";

const OF_COMMAND: Header[] = [
  ["dead-letter-reason", "UNREADABLE_COMMAND"],
  ["dead-letter-detail", "no command"],
  ["dead-letter-source", "command"],
  ["dead-letter-topic", "commands"],
  ["dead-letter-partition", "1"],
  ["dead-letter-offset", "7"],
  ["dead-letter-timestamp", "3"],
];
const OF_WEBHOOK: Header[] = [...OF_COMMAND.slice(0, 3), ["dead-letter-received-at", "9"]];
const OF_CUT: Header[] = [["dead-letter-cut", "900000"]];

test.each<[string, Header[], Header[]]>([
  ["a command's", [["a", "1"]], OF_COMMAND],
  ["a notification's", [], OF_WEBHOOK],
  ["one's that was cut", [["a", null]], [...OF_COMMAND, ...OF_CUT]],
  ["a letter's of a letter", OF_COMMAND, OF_COMMAND],
  [
    "one's whose sender writes such names",
    [...OF_WEBHOOK, ...OF_CUT, ["dead-letter-topic", "x"]],
    OF_WEBHOOK,
  ],
  [
    "repeated, null and odd ones",
    [
      ["a", null],
      ["", "x"],
      ["a", Buffer.from([255])],
      ["__proto__", "y"],
    ],
    OF_COMMAND,
  ],
])("of %s headers only the bridge's own are taken off", (_, original, added) => {
  const unwrapped = unwrap(encodeHeaders([...original, ...added]));
  expect(unwrapped?.original).toEqual(encodeHeaders(original));
  expect([...(unwrapped?.added ?? [])]).toEqual(
    added.map(([name, value]) => [name.replace("dead-letter-", ""), value]),
  );
});

test("the time to take headers apart grows with their number, not with its square", () => {
  // So many that what grows with the square takes far more than ten seconds, and this less than one.
  const original = Array.from({ length: 400_000 }, (): Header => ["h", "v"]);
  const headers = encodeHeaders([...original, ...OF_COMMAND]);
  const startedAt = performance.now();
  expect(unwrap(headers)?.original.count).toBe(400_000);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test.each<[string, Header[]]>([
  ["none", []],
  ["others", [["a", "1"]]],
  ["the names, with another one behind them", [...OF_COMMAND, ["a", "1"]]],
  ["the names in another order", [...OF_COMMAND].reverse()],
])("a record with %s was not written by the bridge", (_, headers) => {
  expect(unwrap(encodeHeaders(headers))).toBeNull();
});
