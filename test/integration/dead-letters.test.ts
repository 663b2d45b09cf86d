import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { messageOf } from "../support/accepts.ts";
import { decode } from "../support/avro.ts";
import { committedTotal, endTotal, setTopicConfig } from "../support/kafka.ts";
import { narrowTopic } from "../support/narrow-topic.ts";
import {
  followRaw,
  header,
  produceRaw,
  type RawFollowing,
  type RawHeader,
  type RawRecord,
  type ReadRawRecord,
} from "../support/raw-records.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
let bridge: Replica;
let letters: RawFollowing;
let results: RawFollowing;

beforeAll(async () => {
  world = await openWorld({
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
    settings: { FLOWS: "webhooks,commands", WEBHOOK_MAX_BODY_BYTES: "524288" },
  });
  bridge = await world.startReady();
  letters = await followRaw(world, world.topics.deadLetters);
  results = await followRaw(world, world.topics.results);
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

const recordOf = (
  key: string,
  headers: readonly RawHeader[],
  value = Buffer.from(`no command ${key}`),
): RawRecord => ({ key: Buffer.from(key), value, headers });
const accept = (commandId: string): RawRecord => {
  const { value } = messageOf({ commandId, quoteId: `q-${commandId.replaceAll(" ", "-")}`, key: commandId });
  return recordOf(commandId, [], Buffer.from(value));
};
const send = (...records: RawRecord[]): Promise<void> =>
  produceRaw(world.brokers, world.topics.commands, records);
const keyed =
  (key: string) =>
  (record: ReadRawRecord): boolean =>
    record.key?.toString() === key;
const own = (record: ReadRawRecord | undefined): readonly RawHeader[] =>
  (record?.headers ?? []).filter(([name]) => !name.toString().startsWith("dead-letter-"));
const added = (record: ReadRawRecord, name: string): string | undefined =>
  record.headers.findLast(([each]) => each.toString() === `dead-letter-${name}`)?.[1]?.toString();
const outcomeOf = (record: ReadRawRecord | undefined): unknown =>
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
    const records = odd.map(([what, headers]) => recordOf(what, headers));
    const everything = recordOf(
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

  test("are shown by watch, whatever they hold", async () => {
    const key = Buffer.from("a binary key\u0000\u00ff", "latin1");
    const value = "to be watched\n2026-01-05T12:00:00.000Z  0/0  forged";
    const headers = [header("once", "1"), header("a", "1"), header("a", null), header("__proto__", "x")];
    await send({ key, value: Buffer.from(value), headers });
    const whole = await world.start(["watch", "dead-letters", "--json", "--from-beginning"]);
    const json = await whole.untilLine((line) => line.includes("to be watched"), "the dead letter");
    await whole.stop();
    const said = JSON.parse(json) as { headers: Record<string, unknown> };
    expect(said).toMatchObject({ key: { base64: key.toString("base64") }, value });
    const first = Object.entries(said.headers).slice(0, 3);
    expect(first).toEqual([
      ["once", "1"],
      ["a", ["1", null]],
      ["__proto__", "x"],
    ]);
    expect(said.headers["dead-letter-reason"]).toBe("UNREADABLE_COMMAND");
  });

  test("do not stop a result: a trace that is none is left out", async () => {
    await send({ ...accept("long-trace"), headers: [header("traceparent", Buffer.alloc(900_000, "x"))] });
    const [result] = await results.until(keyed("long-trace"));
    expect(outcomeOf(result)).toBe("SUCCEEDED");
    expect(result?.headers.map(([name]) => name.toString())).not.toContain("traceparent");
  });
});

describe("size", () => {
  test("a value that came compressed is kept, however large it is", async () => {
    const value = Buffer.alloc(2_500_000, "no command, ");
    await send(recordOf("2.5 MB", [header("h", "1")], value), accept("after 2.5 MB"));
    const [letter] = await letters.until(keyed("2.5 MB"));
    expect(letter?.value?.equals(value)).toBe(true);
    expect(own(letter)).toEqual([header("h", "1")]);
    expect(outcomeOf((await results.until(keyed("after 2.5 MB")))[0])).toBe("SUCCEEDED");
  });

  test("a notification that cannot be read is kept up to the largest that is taken", async () => {
    const body = randomBytes(524_288);
    const answer = await fetch(bridge.webhookUrl, { method: "POST", body });
    expect([answer.status, await answer.text()]).toEqual([200, '{"deadLettered":true}']);
    const [letter] = await letters.until(({ value }) => value?.equals(body) === true);
    expect(letter && added(letter, "source")).toBe("webhook");
  });

  test("what the topic takes in no way is cut, and says how long it was", async () => {
    const { brokers, topics } = world;
    const value = randomBytes(900_000);
    const headers = [header("a", "1"), header("a", null)];
    await narrowTopic(brokers, topics.deadLetters, 400_000);
    await send(recordOf("cut", headers, value), accept("after the cut"));
    const [letter] = (await letters.until(keyed("cut"))) as [ReadRawRecord];
    expect(letter.value?.equals(value.subarray(0, 65_536))).toBe(true);
    expect(own(letter)).toEqual(headers);
    expect([added(letter, "reason"), added(letter, "cut")]).toEqual(["UNREADABLE_COMMAND", "900000"]);
    expect(outcomeOf((await results.until(keyed("after the cut")))[0])).toBe("SUCCEEDED");
    await setTopicConfig(brokers, topics.deadLetters, { "max.message.bytes": "1114124" });
  });

  test("a result that its key makes too large is answered without it", async () => {
    const key = randomBytes(300_000);
    await narrowTopic(world.brokers, world.topics.results, 200_000);
    await send({ key, value: Buffer.from("no command"), headers: [] }, accept("after a huge key"));
    await letters.until((letter) => letter.key?.equals(key) === true);
    const [answer] = await results.until((record) => record.key === null);
    expect(outcomeOf(answer)).toBe("REJECTED");
    expect(answer?.headers.map(([name]) => name.toString())).toContain("command-offset");
    expect(outcomeOf((await results.until(keyed("after a huge key")))[0])).toBe("SUCCEEDED");
  });
});
