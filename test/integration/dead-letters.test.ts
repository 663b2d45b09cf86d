import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import { committedTotal, endTotal } from "../support/kafka.ts";
import {
  followRaw,
  produceRaw,
  type RawHeader,
  type RawRecord,
  type RawSeen,
} from "../support/raw-records.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";

type Followed = Awaited<ReturnType<typeof followRaw>>;

let world: World;
let bridge: Replica;
let letters: Followed;
let results: Followed;

beforeAll(async () => {
  world = await openWorld(sharedCluster(), {
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
    settings: { FLOWS: "webhooks,commands", WEBHOOK_MAX_BODY_BYTES: "524288" },
  });
  bridge = await world.startReplica();
  await bridge.untilReady();
  letters = await followRaw(world.brokers, world.topics.deadLetters);
  world.defer(letters.stop);
  results = await followRaw(world.brokers, world.topics.results);
  world.defer(results.stop);
});
afterAll(async () => {
  const exitCode = await bridge.stop();
  const { brokers, groupId, topics } = world;
  const [committed, sent] = [
    await committedTotal(brokers, groupId, topics.commands),
    await endTotal(brokers, topics.commands),
  ];
  await world.close();
  expect(exitCode).toBe(0);
  expect(committed).toBe(sent);
});

const header = (name: string | Buffer, value: string | Buffer | null): RawHeader => [
  Buffer.from(name),
  value === null ? null : Buffer.from(value),
];
const accept = (commandId: string): RawRecord => ({
  key: Buffer.from(commandId),
  value: Buffer.from(
    JSON.stringify({
      commandId,
      request: { type: "AcceptQuote", quoteId: `q-${commandId}`, counterpartyId: "cp-1" },
    }),
  ),
  headers: [],
});
const poison = (
  key: string,
  headers: readonly RawHeader[],
  value = Buffer.from(`no command ${key}`),
): RawRecord => ({
  key: Buffer.from(key),
  value,
  headers,
});
const send = (...records: RawRecord[]): Promise<void> =>
  produceRaw(world.brokers, world.topics.commands, records);
const keyed =
  (key: string) =>
  (record: RawSeen): boolean =>
    record.key?.toString() === key;
const outcomeOf = (record: RawSeen | undefined): unknown =>
  decode("command-result", record?.value ?? null)["outcome"];

describe("headers", () => {
  const odd: readonly (readonly [string, readonly RawHeader[]])[] = [
    ["a name that is repeated, with a null value", [header("a", "1"), header("a", null), header("a", "2")]],
    ["names that mean something to an object", [header("__proto__", "x"), header("constructor", null)]],
    ["no name", [header("", "nameless"), header("", null)]],
    ["bytes that are no text", [header("bytes", Buffer.from([0, 255, 254])), header("empty", "")]],
    ["names that are no text", [header(Buffer.from([255, 254]), "1"), header(Buffer.from([255, 253]), "2")]],
    ["an order of their own", [header("b", "1"), header("2", "2"), header("a", "3"), header("1", "4")]],
    ["a reason of their own", [header("dead-letter-was", "here")]],
  ];

  test("are in the dead letter as they came, all of them, and everything else flows on", async () => {
    const records = odd.map(([what, headers]) => poison(what, headers));
    const everything = poison(
      "all of them",
      odd.flatMap(([, headers]) => headers),
    );
    await send(accept("before"), ...records, everything, accept("after"));
    for (const commandId of ["before", "after"]) {
      const [result] = await results.until(keyed(commandId));
      expect(outcomeOf(result)).toBe("SUCCEEDED");
    }
    for (const record of [...records, everything]) {
      const [letter] = await letters.until(keyed(String(record.key)));
      expect(letter?.value).toEqual(record.value);
      expect(letter?.headers.slice(0, record.headers.length), String(record.key)).toEqual(record.headers);
    }
  });

  test("are shown by watch, repeated ones as a list", async () => {
    const name = "to be watched";
    await send(
      poison(name, [header("once", "1"), header("a", "1"), header("a", null), header("__proto__", "x")]),
    );
    await letters.until(keyed(name));
    const watching = await world.start(["watch", "dead-letters", "--json", "--from-beginning"]);
    const line = await watching.untilLine((each) => each.includes(name), "the dead letter");
    await watching.stop();
    const { headers } = JSON.parse(line) as { headers: Record<string, unknown> };
    expect(Object.entries(headers).slice(0, 3)).toEqual([
      ["once", "1"],
      ["a", ["1", null]],
      ["__proto__", "x"],
    ]);
    expect(headers["dead-letter-reason"]).toBe("UNREADABLE_COMMAND");
  });

  test("do not stop a result: a trace that is none is left out", async () => {
    await send({ ...accept("long-trace"), headers: [header("traceparent", Buffer.alloc(900_000, "x"))] });
    const [result] = await results.until(keyed("long-trace"));
    expect(outcomeOf(result)).toBe("SUCCEEDED");
    expect(result?.headers.map(([name]) => name.toString())).not.toContain("traceparent");
  });
});
