import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decode, encode, latestSchemaId } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import type { Following, TopicRecord } from "../support/follow-topics.ts";
import { committedTotal } from "../support/kafka.ts";
import type { Replica } from "../support/replica.ts";
import { secrets } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";

let world: World;
let bridge: Replica;
let following: Following;
let commands: string;
let results: string;
let deadLetters: string;
let written = 0;
const linesOfEnded: string[] = [];

beforeAll(async () => {
  world = await openWorld({
    sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"],
    settings: {
      FLOWS: "commands",
      // One doubt must not stop the tests that follow it.
      PARTNER_BREAKER_FAILURES: "1000",
      PARTNER_RESULT_FIELDS: "amount=/quotedAmount,rate=/rate",
    },
  });
  ({ commands, results, deadLetters } = world.topics);
  bridge = await world.startReady();
  following = await world.follow([results, deadLetters]);
});
afterAll(async () => {
  const exitCode = await bridge.stop();
  const committed = await committedTotal(world.brokers, world.groupId, commands);
  await world.close();
  expect(exitCode).toBe(0);
  // Every command was answered or parked, so that every offset is committed.
  expect(committed).toBe(written);
});

const send = async (key: string | null, ...values: (string | Buffer | null)[]): Promise<void> => {
  written += values.length;
  await world.produce(
    commands,
    values.map((value) => ({ key, value })),
  );
};
const resultOf = ({ value }: TopicRecord) => decode("command-result", value);
const resultsOf = async (commandId: string, count = 1): Promise<TopicRecord[]> =>
  following.until(results, ({ headers }) => headers["correlation-id"] === commandId, count);
const hash = (...parts: string[]): string =>
  createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
const accept = (commandId: string, quoteId: string, more: object = {}): string =>
  JSON.stringify({ commandId, request: { type: "AcceptQuote", quoteId, counterpartyId: "cp-1", ...more } });
type Request = { target: string; body: string };
const requests = async (path: string): Promise<Request[]> => {
  const { requests: seen } = await world.sandbox<{ requests: Request[] }>("/_sandbox/state?only=requests");
  return seen.filter(({ target }) => target.includes(path));
};
const deadLettersUnder = (key: string, count: number): Promise<TopicRecord[]> =>
  following.until(deadLetters, (record) => record.key === key, count);
/** An accept in Avro. */
const avroAccept = async (commandId: string, quoteId: string, issuedAt = 0): Promise<Buffer> => {
  const acceptQuote = { quoteId, counterpartyId: "cp-1", amount: null, externalId: null };
  const request = { "cambio.bridge.v1.AcceptQuote": acceptQuote };
  const schemaId = await latestSchemaId(sharedCluster().schemaRegistryUrl, commands);
  return encode("command", schemaId, { commandId, issuedAt, expiresAt: null, request });
};
const NO_COMMAND = "no command";
/**
 * Sends what is a dead letter under a key, and waits for that. An earlier command of the key that must be none would have come
 * before it.
 */
const expectOneDeadLetter = async (key: string): Promise<void> => {
  await send(key, NO_COMMAND);
  expect((await deadLettersUnder(key, 1)).map(({ value }) => String(value))).toEqual([NO_COMMAND]);
};
const fault = (rule: object) => world.sandbox("/_sandbox/faults", rule);

test("a create and an accept in Avro: each result with its key, headers and every field", async () => {
  const schemaId = await latestSchemaId(sharedCluster().schemaRegistryUrl, commands);
  const issuedAt = Date.now();
  const create = {
    commandId: "avro-create",
    issuedAt,
    expiresAt: issuedAt + 60_000,
    request: {
      "cambio.bridge.v1.CreateQuote": {
        direction: "OUTBOUND",
        purpose: "COMEX",
        quotedAmount: "1000.00",
        baseCurrencyIso: "USD",
        quotedCurrencyIso: "BRL",
      },
    },
  };
  await send("avro-create", encode("command", schemaId, create));
  const [record] = await resultsOf("avro-create");
  const result = resultOf(record as TopicRecord);
  expect(result).toEqual({
    resultId: hash("avro-create", "final"),
    commandId: "avro-create",
    operation: "CREATE_QUOTE",
    outcome: "SUCCEEDED",
    final: true,
    quoteId: expect.any(String) as string,
    externalId: null,
    transactionId: null,
    httpStatus: expect.any(Number) as number,
    response: expect.stringContaining(String(result["quoteId"])) as string,
    fields: { amount: "1000.00" },
    error: null,
    attempts: 1,
    decidedBy: "PARTNER",
    receivedAt: expect.any(Number) as number,
    completedAt: expect.any(Number) as number,
  });
  expect(record).toMatchObject({
    key: "avro-create",
    headers: {
      ce_specversion: "1.0",
      ce_id: hash("avro-create", "final"),
      ce_source: world.sandboxUrl,
      ce_type: "cambio.bridge.v1.CommandResult",
      ce_subject: "avro-create",
      ce_time: new Date(Number(result["completedAt"])).toISOString(),
      "content-type": "application/avro",
      "correlation-id": "avro-create",
      outcome: "SUCCEEDED",
    },
  });

  const quoteId = String(result["quoteId"]);
  const request = { quoteId, counterpartyId: "cp-1", amount: "1234567890.10", externalId: "ext-1" };
  const command = { commandId: "avro-accept", issuedAt, expiresAt: null };
  const value = { ...command, request: { "cambio.bridge.v1.AcceptQuote": request } };
  await send(quoteId, encode("command", schemaId, value));
  const [accepted] = await resultsOf("avro-accept");
  expect(resultOf(accepted as TopicRecord)).toMatchObject({
    operation: "ACCEPT_QUOTE",
    outcome: "SUCCEEDED",
    quoteId,
    externalId: "ext-1",
    transactionId: (
      JSON.parse(String(resultOf(accepted as TopicRecord)["response"])) as Record<string, unknown>
    )["transactionId"],
    attempts: 1,
  });
  expect(await world.executions(quoteId)).toBe(1);
  const [call] = await requests(`${quoteId}/accept`);
  // The digits of the command, as a number: no float came near them.
  expect(call?.body).toContain('"amount":1234567890.10');
});

test("the tool sends a command, waits for its result, and ends as the result says", async () => {
  const args = ["send", "accept-quote", "--quote-id", "q-cli", "--counterparty-id", "cp-1", "--wait"];
  const done = await world.run([...args, "--command-id", "cli-1"]);
  written += 1;
  expect(done.code).toBe(0);
  expect(JSON.parse(done.out)).toMatchObject({ commandId: "cli-1", outcome: "SUCCEEDED" });
  const again = await world.run([...args, "--command-id", "cli-2"]);
  written += 1;
  expect(again.code).toBe(3);
  expect(JSON.parse(again.out)).toMatchObject({
    outcome: "REJECTED",
    error: { code: "QUOTE_ALREADY_TAKEN" },
  });
  expect(await world.executions("q-cli")).toBe(1);
});

test("the tool says at once that a commandId belongs to another command, of which no result can come", async () => {
  const args = ["send", "accept-quote", "--counterparty-id", "cp-1", "--command-id", "cli-reused", "--wait"];
  expect((await world.run([...args, "--quote-id", "q-cli-first"])).code).toBe(0);
  const started = Date.now();
  const reused = await world.run([...args, "--quote-id", "q-cli-second", "--timeout", "50s"]);
  written += 2;
  expect(reused).toMatchObject({ code: 5, out: "" });
  expect(reused.err).toContain("No result can come: commandId cli-reused belongs to another command");
  expect(Date.now() - started, "without waiting for the end").toBeLessThan(40_000);
  expect(await world.executions("q-cli-second")).toBe(0);
});

test("a command that breaks a rule is answered without a call, and is no dead letter", async () => {
  await send("k", accept("bad-1", "q-bad", { ammount: "1000.00" }));
  const [record] = await resultsOf("bad-1");
  expect(record?.key).toBe("bad-1");
  expect(resultOf(record as TopicRecord)).toMatchObject({
    resultId: hash("bad-1", "final"),
    outcome: "REJECTED",
    error: { code: "INVALID_COMMAND", message: expect.stringContaining("ammount") as string },
    decidedBy: "BRIDGE",
    attempts: 0,
  });
  expect(await requests("q-bad")).toEqual([]);
  await expectOneDeadLetter("k");
});

test("what cannot be read is a dead letter, byte for byte, and is answered under its key", async () => {
  const values = [
    (await avroAccept("cut", "q-cut")).subarray(0, -3),
    Buffer.from([0xde, 0xad]),
    Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3]),
    Buffer.from('{"commandId":"half",'),
    null,
  ];
  await send("unreadable", ...values);
  // The schema of one of them is waited for.
  const withinMs = 60_000;
  const parked = await following.until(
    deadLetters,
    ({ key }) => key === "unreadable",
    values.length,
    withinMs,
  );
  expect(parked.map(({ value }) => value)).toEqual(values);
  const answers = await following.until(results, ({ key }) => key === "unreadable", values.length);
  const commandIds = ["cut", "", "", "half", ""];
  for (const [i, letter] of parked.entries()) {
    const place = letter.headers;
    expect(place).toMatchObject({
      "dead-letter-reason": "UNREADABLE_COMMAND",
      "dead-letter-source": "command",
      "dead-letter-topic": commands,
      "dead-letter-timestamp": expect.stringMatching(/^\d+$/) as string,
    });
    expect(place["dead-letter-detail"]).not.toBe("");
    const partition = place["dead-letter-partition"] ?? "";
    const offset = place["dead-letter-offset"] ?? "";
    const answer = answers.find(({ headers }) => headers["command-offset"] === offset);
    expect(answer?.headers).toMatchObject({ "command-topic": commands, "command-partition": partition });
    for (const name of ["ce_subject", "correlation-id"])
      expect(answer?.headers[name], "left out rather than empty").toBe(commandIds[i] || undefined);
    expect(resultOf(answer as TopicRecord)).toMatchObject({
      resultId: hash(commands, partition, offset),
      commandId: commandIds[i],
      operation: "UNKNOWN",
      outcome: "REJECTED",
      final: true,
      error: { code: "UNREADABLE_COMMAND" },
    });
  }
});

test("a command that comes again and again is executed once, and answered alike each time, on any replica", async () => {
  const command = accept("again", "q-again");
  await send("q-again", command, command);
  await resultsOf("again", 2);
  await send("another key", command);
  await resultsOf("again", 3);
  const heir = await world.startReady();
  expect(await bridge.stop()).toBe(0);
  linesOfEnded.push(...(await bridge.lines()));
  bridge = heir;
  await send("q-again", command);
  const records = await resultsOf("again", 4);
  expect(new Set(records.map(({ value }) => value?.toString("hex"))).size, "identical bytes").toBe(1);
  expect(await world.executions("q-again")).toBe(1);
  expect(await requests("q-again/accept")).toHaveLength(1);
});

const FAILED_2XX = { status: 200, body: '{"success":false}' };
test.each([
  ["a 503 after it was executed", { kind: "status", status: 503, when: "after" }, 503, 1, "ANSWER_LOST"],
  ["a 409", { kind: "status", status: 409, when: "before" }, 409, 0, "ANSWER_LOST"],
  ["a 200 that says it failed", { kind: "status", ...FAILED_2XX, when: "after" }, 200, 1, "ANSWER_UNCLEAR"],
  ["a connection that is reset", { kind: "reset", when: "after" }, null, 1, "ANSWER_LOST"],
  ["a reset before it was executed", { kind: "reset", when: "before" }, null, 0, "ANSWER_LOST"],
  ["an answer that is no HTTP", { kind: "garbage", when: "after" }, null, 1, "ANSWER_LOST"],
])(
  "an accept answered with %s is in doubt, and never sent again",
  async (_, what, httpStatus, executed, code) => {
    const commandId = `doubt-${randomUUID()}`;
    const quoteId = `q-${commandId}`;
    await fault({ operation: "accept", match: { quoteId }, ...what });
    const command = accept(commandId, quoteId);
    await send(quoteId, command);
    const [first] = await resultsOf(commandId);
    expect(resultOf(first as TopicRecord)).toMatchObject({
      resultId: hash(commandId, "in-doubt"),
      outcome: "IN_DOUBT",
      final: false,
      httpStatus,
      attempts: 1,
      error: { code },
    });
    await send(quoteId, command, accept(`${commandId}-other`, quoteId));
    const repeated = await resultsOf(commandId, 2);
    expect(repeated[1]?.value?.equals(first?.value ?? Buffer.alloc(0)), "the same doubt again").toBe(true);
    expect(resultOf((await resultsOf(`${commandId}-other`))[0] as TopicRecord)).toMatchObject({
      error: { code: "QUOTE_ALREADY_TAKEN" },
    });
    expect(await requests(`${quoteId}/accept`)).toHaveLength(1);
    expect(await world.executions(quoteId)).toBe(executed);
  },
);

test("an accept that was throttled is sent again, for it was not executed", async () => {
  await fault({
    operation: "accept",
    match: { quoteId: "q-429" },
    kind: "throttle",
    retryAfter: "1",
    count: 1,
  });
  await send("q-429", accept("throttled", "q-429"));
  const [record] = await resultsOf("throttled");
  expect(resultOf(record as TopicRecord)).toMatchObject({ outcome: "SUCCEEDED", attempts: 2 });
  expect(await world.executions("q-429")).toBe(1);
});

test("nothing else is answered under the commandId of an executed accept: no false final, no call", async () => {
  await send("named", accept("named", "q-named"));
  await resultsOf("named");
  const intruders = [
    Buffer.concat([await avroAccept("named", "q-named", Date.now()), Buffer.of(0)]),
    '{"commandId":"named","request":{"type":"AcceptQuote","counterpartyId":"cp-1"}}',
    '{"commandId":"named","request":{"type":"AcceptQuote","quoteId":"q-named","quoteId":"q-x","counterpartyId":"cp-1"}}',
    '{"commandId":"named","request":{"type":"AceptQuote","quoteId":"q-named","counterpartyId":"cp-1"}}',
    '{"commandId":"named","request":',
    accept("named", "q-named", { amount: "20.00" }),
    accept("named", "q-other"),
  ];
  await send("intruder", ...intruders);
  const dead = await deadLettersUnder("intruder", intruders.length);
  expect(dead.map(({ value }) => value)).toEqual(intruders.map((value) => Buffer.from(value)));
  for (const { headers } of dead) expect(headers["dead-letter-reason"]).toBe("COMMAND_ID_REUSED");
  expect(await world.executions("q-other")).toBe(0);
  expect(await requests("q-named/accept")).toHaveLength(1);
  // One more result proves that the ones that must not come would have come by now.
  await send("intruder", accept("named-after", "q-named-after"));
  await resultsOf("named-after");
  expect(await resultsOf("named")).toHaveLength(1);
});

test("a refused commandId is known from then on, and its record gets the same result again", async () => {
  const broken = '{"commandId":"refused","request":{"type":"AcceptQuote","counterpartyId":"cp-1"}}';
  await send("refused", broken, broken, accept("refused", "q-refused"));
  const [first, again] = await resultsOf("refused", 2);
  expect(again?.value).toEqual(first?.value);
  expect(resultOf(first as TopicRecord)).toMatchObject({
    outcome: "REJECTED",
    error: { code: "INVALID_COMMAND" },
  });
  await deadLettersUnder("refused", 1);
  expect(await world.executions("q-refused")).toBe(0);
});

test("two spellings of a quote are one quote, and the partner is sent what the command says", async () => {
  const uuid = randomUUID();
  await send("spelled", accept("spelled-1", `{${uuid.toUpperCase()}}`), accept("spelled-2", uuid));
  await send("spelled", accept("spelled-3", "Q-Spelled"), accept("spelled-4", "q-spelled"));
  for (const commandId of ["spelled-1", "spelled-3"])
    expect(resultOf((await resultsOf(commandId))[0] as TopicRecord)).toMatchObject({ outcome: "SUCCEEDED" });
  for (const commandId of ["spelled-2", "spelled-4"])
    expect(resultOf((await resultsOf(commandId))[0] as TopicRecord)).toMatchObject({
      outcome: "REJECTED",
      error: { code: "QUOTE_ALREADY_TAKEN" },
    });
  expect(await requests(encodeURIComponent(`{${uuid.toUpperCase()}}`))).toHaveLength(1);
  expect(await world.executions("q-spelled")).toBe(0);
});

test("no secret is in a result, a dead letter or the log", async () => {
  // The last lines of the log are written at the end of the bridge.
  expect(await bridge.stop()).toBe(0);
  const values = following.records.map(({ value, headers }) => `${String(value)}${JSON.stringify(headers)}`);
  const said = [...values, ...linesOfEnded, ...(await bridge.lines())].join("\n");
  expect(said.length).toBeGreaterThan(1_000);
  for (const secret of Object.values(secrets)) expect(said).not.toContain(secret);
});
