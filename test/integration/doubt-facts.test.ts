import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHash } from "../../src/commands-to-results/translate.ts";
import type { AcceptQuote } from "../../src/records.ts";
import type { Tools } from "../../src/operate/tools.ts";
import { findDoubts } from "../../src/operate/doubts/doubts.ts";
import { factsOfDoubts } from "../../src/operate/doubts/facts.ts";
import { decode, encode, latestSchemaId } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import { toolServicesFor } from "../support/tools.ts";
import { writeAnsweredDoubt, writeEventOf } from "../support/doubts.ts";
import { openWorld, type World } from "../support/world.ts";

// Topics as replicas and other programs leave them: each record with the time that its writer's clock had.

const HOUR_MS = 3_600_000;
let world: World;
let services: Tools;
beforeAll(async () => {
  world = await openWorld();
  // Before anything produces: the bridge replaces modules of kafkajs.
  services = toolServicesFor(world);
});
afterAll(() => world.close());

const claimedAtMs = Date.now() - HOUR_MS;

const writeEvent = (transactionId: string, status: string, atMs: number, more: object = {}) =>
  writeEventOf(world, { transactionId, status, atMs }, more);

const writeResult = async (fields: object): Promise<void> => {
  const schemaId = await latestSchemaId(sharedCluster().schemaRegistryUrl, world.topics.results);
  const result = {
    ...{ resultId: randomUUID(), operation: "ACCEPT_QUOTE", outcome: "SUCCEEDED", final: true },
    ...{ quoteId: null, externalId: null, httpStatus: 200, response: null, error: null, attempts: 1 },
    ...{ decidedBy: "PARTNER", receivedAt: 0, completedAt: 0, ...fields },
  };
  await world.produce(world.topics.results, [
    {
      key: randomUUID(),
      value: encode("command-result", schemaId, result),
      timestamp: String(claimedAtMs),
    },
  ]);
};

const writeCommand = async (commandId: string, request: object): Promise<void> => {
  const value = JSON.stringify({ commandId, issuedAt: claimedAtMs, request });
  await world.produce(world.topics.commands, [{ key: null, value, timestamp: String(claimedAtMs - 1_000) }]);
};

const acceptOf = (fields: Partial<AcceptQuote>): AcceptQuote => ({
  ...{ quoteId: randomUUID(), counterpartyId: "cp-1", amount: null, externalId: null },
  ...fields,
});
const hashOf = (accept: AcceptQuote): string => requestHash({ request: { type: "AcceptQuote", ...accept } });

const factsOf = async (commandId: string) => {
  const doubts = await findDoubts(services, { commandId, quoteId: null });
  const [facts] = await factsOfDoubts(services, doubts);
  if (!facts) throw new Error(`no doubt of ${commandId}`);
  return facts;
};

test("what names the quote comes first; what began meanwhile is neither hidden by clocks nor by time", async () => {
  const accept = acceptOf({ amount: "2500000", externalId: `order/${randomUUID()}` });
  const { quoteId, externalId } = accept;
  const commandId = `naming-${quoteId}`;
  // Sent first and refused as reused, or refused as reused later: the claim's hash tells which one was called.
  for (const request of [
    acceptOf({ amount: "1" }),
    accept,
    acceptOf({ amount: "2", counterpartyId: "cp-2" }),
  ])
    await writeCommand(commandId, { type: "AcceptQuote", ...request });
  const answered = `tx-answer-${quoteId}`;
  await writeAnsweredDoubt(
    world,
    { commandId, quoteId, requestHash: hashOf(accept) },
    { transactionId: answered, response: "{}", externalId: externalId ?? "" },
  );
  const id = (name: string): string => `tx-${name}-${quoteId}`;
  await writeEvent(id("before"), "AWAITING_PAYMENT", claimedAtMs - 600_000);
  await writeEvent(id("before"), "PAYMENT_CONFIRMED", claimedAtMs + 5_000);
  await writeEvent(id("behind"), "AWAITING_PAYMENT", claimedAtMs - 5_000);
  await writeEvent(answered, "AWAITING_PAYMENT", claimedAtMs + 1_000);
  await writeEvent(id("by-quote"), "AWAITING_PAYMENT", claimedAtMs + 2_000, {
    data: [{ quote: quoteId.toUpperCase() }],
  });
  await writeEvent(id("by-quote"), "PAYMENT_CONFIRMED", claimedAtMs + 3_000);
  await writeEvent(id("by-external"), "AWAITING_PAYMENT", claimedAtMs + 4_000, { "a/b": externalId });
  await writeEvent(id("explained"), "AWAITING_PAYMENT", claimedAtMs + 6_000);
  await writeEvent(id("late"), "AWAITING_PAYMENT", Date.now() + 60_000);
  await writeResult({ commandId: "other", transactionId: id("explained") });
  await writeResult({ commandId, transactionId: answered, outcome: "IN_DOUBT", final: false });

  const facts = await factsOf(commandId);
  expect(facts.evidence).toEqual([
    expect.objectContaining({
      ...{ kind: "event", transactionId: id("by-quote"), text: quoteId.toUpperCase() },
      ...{ firstStatus: "AWAITING_PAYMENT", lastStatus: "PAYMENT_CONFIRMED" },
    }),
    expect.objectContaining({ kind: "event", transactionId: id("by-external"), text: externalId }),
    expect.objectContaining({ kind: "answer", transactionId: answered, firstStatus: "AWAITING_PAYMENT" }),
  ]);
  expect(facts.candidates.map(({ transactionId }) => transactionId)).toEqual([id("behind"), id("late")]);
  expect(facts).toMatchObject({
    ...{ amount: { text: "2500000", from: "accept" }, counterpartyId: "cp-1", more: 0, isCut: false },
  });

  const { out } = await world.run(["doubts", "--json"]);
  const row = out
    .split("\n")
    .filter((line) => line.includes(commandId))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(row).toMatchObject([
    {
      commandId,
      amount: { text: "2500000" },
      counterpartyId: "cp-1",
      evidence: facts.evidence.map(({ kind }) => ({ kind })),
    },
  ]);
  expect(row[0]).not.toHaveProperty("requestHash");
});

test("an accept without an amount is of the amount that its quote was created with", async () => {
  const accept = acceptOf({});
  const commandId = `amount-${accept.quoteId}`;
  await writeCommand(`create-${commandId}`, {
    ...{ type: "CreateQuote", direction: "OUTBOUND", purpose: "COMEX" },
    ...{ quotedAmount: "1000.00", baseCurrencyIso: "USD", quotedCurrencyIso: "BRL" },
  });
  await writeResult({
    ...{ commandId: `create-${commandId}`, operation: "CREATE_QUOTE" },
    quoteId: accept.quoteId.toUpperCase(),
  });
  await writeCommand(commandId, { type: "AcceptQuote", ...accept });
  await writeAnsweredDoubt(world, { ...accept, commandId, requestHash: hashOf(accept) });
  expect(await factsOf(commandId)).toMatchObject({
    amount: { text: "1000.00", from: "quote", currencies: "USD/BRL" },
    evidence: [],
  });
});

test("on the command line the evidence stands before the decision; a transaction is checked, and stays", async () => {
  const [first, second] = [acceptOf({}), acceptOf({})];
  const transactionId = `tx-${first.quoteId}`;
  for (const accept of [first, second])
    await writeAnsweredDoubt(world, { ...accept, commandId: accept.quoteId, requestHash: hashOf(accept) });
  await writeEvent(transactionId, "AWAITING_PAYMENT", claimedAtMs + 1_000, { quote: first.quoteId });
  const resolve = ({ quoteId }: AcceptQuote, ...args: string[]) =>
    world.run(["resolve", quoteId, "--by", "ana", "--note", "asked", ...args]);

  const unknown = await resolve(first, "--as", "succeeded", "--transaction-id", `${transactionId}0`);
  expect([unknown.code, unknown.out]).toEqual([1, ""]);
  expect(unknown.err).toContain(`No event of transaction ${transactionId}0 is known since the claim`);
  const wrong = await resolve(first, "--as", "not-executed", "--transaction-id", transactionId);
  expect([wrong.code, wrong.out]).toEqual([2, ""]);

  const ended = await resolve(first, "--as", "succeeded", "--transaction-id", transactionId);
  expect(JSON.parse(ended.out)).toMatchObject({ outcome: "SUCCEEDED", transactionId });
  const results = (await world.read(world.topics.results)).filter(({ key }) => key === first.quoteId);
  expect(results.map(({ value }) => decode("command-result", value)["transactionId"])).toEqual([
    transactionId,
  ]);
  const taken = await resolve(second, "--as", "succeeded", "--transaction-id", transactionId);
  expect([taken.code, taken.out]).toEqual([1, ""]);
  expect(taken.err).toContain(`is that of command ${first.quoteId}`);

  await writeEvent(`tx-${second.quoteId}`, "AWAITING_PAYMENT", claimedAtMs, { quote: second.quoteId });
  const unforced = await resolve(second, "--as", "not-executed");
  expect([unforced.code, unforced.out]).toEqual([1, ""]);
  expect(unforced.err).toContain("resolve it with force (--force)");
  const denied = await resolve(second, "--as", "not-executed", "--force");
  expect(denied.err).toMatch(
    new RegExp(
      `^EVIDENCE that ${second.quoteId} was executed: transaction tx-.*\n[^]*never run[^]* is resolved: FAILED`,
    ),
  );
});
