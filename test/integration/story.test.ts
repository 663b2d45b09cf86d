import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tools } from "../../src/operate/tools.ts";
import { readStory, type Story } from "../../src/operate/story/story.ts";
import { toolServicesFor } from "../support/tools.ts";
import { eventually } from "../support/eventually.ts";
import type { Following } from "../support/follow-topics.ts";
import { decodeResult } from "../support/result.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";

const DAY_MS = 86_400_000;

let world: World;
let services: Tools;
let bridge: Replica;
let following: Following;
beforeAll(async () => {
  world = await openWorld({
    sandboxArgs: ["--accept-unknown-quotes", "--time-scale", "100000"],
    settings: { FLOWS: "webhooks,commands", PARTNER_CALL_TIMEOUT: "2s" },
  });
  bridge = await world.startReady();
  // Before anything reads: the bridge replaces modules of kafkajs.
  services = toolServicesFor(world);
  following = await world.follow([world.topics.results, world.topics.events]);
});
afterAll(() => world.close());

const send = (commandId: string, quoteId: string, externalId: string): Promise<void> =>
  world.produce(world.topics.commands, [
    {
      key: `key-${randomUUID()}`,
      // As Python writes JSON.
      value: JSON.stringify({
        commandId,
        request: { type: "AcceptQuote", quoteId, counterpartyId: "cp-7", amount: "12.50", externalId },
      }).replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
    },
  ]);
const resultOf = (commandId: string) =>
  eventually(
    () =>
      following
        .of(world.topics.results)
        .map(decodeResult)
        .find((one) => one.commandId === commandId) ?? false,
    `the result of ${commandId}`,
    30_000,
  );
const tell = (id: string, sinceMs = Date.now() - DAY_MS): Promise<Story> =>
  readStory(services, { id, sinceMs });

test("a command, its quote, its externalId and its transaction tell the same story, in order of time", async () => {
  const [commandId, quoteId, externalId] = [randomUUID(), randomUUID(), `order-${randomUUID()}`];
  await send(`other-${commandId}`, `other-${quoteId}`, "another order");
  await send(commandId, quoteId, externalId);
  const { transactionId } = await resultOf(commandId);
  expect(transactionId).toEqual(expect.stringMatching(/./));
  for (const status of ["AWAITING_PAYMENT", "TRANSACTION_COMPLETED"]) {
    const body = JSON.stringify({ transactionId, status, createdAt: new Date().toISOString() });
    expect((await fetch(bridge.webhookUrl, { method: "POST", body })).status).toBe(200);
  }

  const told = await Promise.all(
    [commandId, quoteId, quoteId.toUpperCase(), externalId, String(transactionId)].map((id) => tell(id)),
  );
  for (const { endings, steps, notes, id } of told) {
    expect(notes, id).toEqual([]);
    expect(endings, id).toEqual([
      expect.objectContaining({ about: "command", id: commandId, tone: "good" }),
      expect.objectContaining({ about: "transaction", id: transactionId, tone: "good" }),
    ]);
    expect(endings[0]?.sentence).toMatch(/^Result: SUCCEEDED \(.+\[\d+\]@\d+\)\.$/);
    expect(endings[1]?.sentence).toMatch(/^Where it stands, by its \d+ statuses: TRANSACTION_COMPLETED/);
    expect(steps.map(({ atMs }) => atMs)).toEqual(steps.map(({ atMs }) => atMs).sort((a, b) => a - b));
    const shown = steps.map(({ kind }) => kind).filter((kind) => kind !== "journal");
    expect(shown.slice(0, 2), id).toEqual(["command", "result"]);
    expect(new Set(shown), id).toEqual(new Set(["command", "result", "event"]));
    expect(steps.filter(({ title }) => title.startsWith("Claimed"))).toHaveLength(1);
  }
  expect(new Set(told.map(({ steps }) => JSON.stringify(steps))).size).toBe(1);

  expect(await tell(commandId, Date.now() + DAY_MS)).toMatchObject({ steps: [], endings: [] });
  const program = await world.run(["story", externalId, "--json"]);
  expect(program.code).toBe(0);
  expect((JSON.parse(program.out) as { steps: unknown[] }).steps).toHaveLength(told[0]?.steps.length ?? 0);
  const shown = (await world.run(["story", commandId])).out.split("\n");
  // Each step begins on a line of its own, behind an empty one.
  expect(shown.filter((line, at) => shown[at - 1] === "" && /^20\S+Z {2}\S/.test(line))).toHaveLength(
    told[0]?.steps.length ?? 0,
  );
  const none = await world.run(["story", "nobody-knows-it"]);
  expect([none.code, none.out]).toEqual([1, ""]);
  expect(none.err).toContain("The topics hold nothing of nobody-knows-it since");
}, 120_000);
