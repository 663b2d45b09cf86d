import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHistories, type Histories } from "../../src/bridge/console/history/histories.ts";
import type { CommandHistory, TransactionHistory } from "../../src/console/ports.ts";
import { sharedCluster } from "../support/cluster.ts";
import { openConsoleTopics, type ConsoleTopics, type Written } from "../support/console-topics.ts";
import { eventually } from "../support/eventually.ts";

let world: ConsoleTopics;
let histories: Histories;
let changes = 0;
beforeAll(async () => {
  world = await openConsoleTopics(sharedCluster());
  histories = openHistories(world.config, world.services, world.cluster, () => (changes += 1));
});
afterAll(async () => {
  await histories.close();
  await world.close();
});

const HOUR_MS = 3_600_000;
const NAMESPACE = "cambio.bridge.v1.";

/** What is asked for again and again, as a page does, until it is complete. */
const whole = <S extends CommandHistory | TransactionHistory>(ask: () => S): Promise<S> =>
  eventually(
    () => {
      const history = ask();
      if (history.progress.problem !== null) throw new Error(history.progress.problem);
      return history.progress.isComplete && history;
    },
    "the history to be complete",
    30_000,
  );
const places = (history: CommandHistory): Written[] => history.steps.map(({ place }) => place);
const factsOf = (history: CommandHistory, nth: number): Record<string, string> =>
  Object.fromEntries(history.steps[nth]?.facts ?? []);

const accept = (commandId: string, quoteId: string): string =>
  JSON.stringify({
    commandId,
    issuedAt: new Date().toISOString(),
    request: { type: "AcceptQuote", quoteId, counterpartyId: "cp-1", amount: "1000.10" },
  });
const result = (commandId: string, quoteId: string, over: object): Record<string, unknown> => ({
  ...{ resultId: randomUUID(), commandId, operation: "ACCEPT_QUOTE", outcome: "IN_DOUBT", final: false },
  ...{ quoteId, externalId: null, httpStatus: null, response: null, error: null, attempts: 1 },
  ...{ decidedBy: "BRIDGE", receivedAt: Date.now(), completedAt: Date.now() },
  ...over,
});
const entry = (commandId: string, name: string, step: object) => ({
  ...{ version: 2, operation: "ACCEPT_QUOTE", commandId },
  step: { [NAMESPACE + name]: step },
});
const claimed = (attemptId: string, quoteId: string) => ({
  ...{ attemptId, requestHash: "h", callWithinMs: 12_000, receivedAt: Date.now(), attempts: 0 },
  ...{ supersedes: null, quoteId },
});
const concluded = (attemptId: string, outcome: string, value: Buffer, note: string | null) => ({
  ...{ attemptId, requestHash: "h", outcome, resultId: "r", result: value, note, traceparent: null },
});

describe("a command", () => {
  /** A doubt that an operator ended, in the order in which it happened. */
  const writeDoubt = async (commandId: string, quoteId: string): Promise<Written[]> => {
    const { topics, encoded, write } = world;
    const key = quoteId.toLowerCase();
    const doubt = result(commandId, quoteId, { error: { code: "ANSWER_LOST", message: "no answer" } });
    const final = result(commandId, quoteId, {
      ...{ outcome: "SUCCEEDED", final: true, decidedBy: "OPERATOR", resultId: "final" },
      response: '{"id":7}',
    });
    const journal = (name: string, step: object): Promise<Written[]> =>
      write(topics.journal, [{ key, value: encoded("command-journal-entry", entry(commandId, name, step)) }]);
    const publish = (value: object): Promise<Written[]> =>
      write(topics.results, [{ key: commandId, value: encoded("command-result", value) }]);
    const bytes = (value: object): Buffer => encoded("command-result", value);
    const steps = [
      () => write(topics.commands, [{ key: quoteId, value: accept(commandId, quoteId), atMs: Date.now() }]),
      () => journal("Claimed", claimed("attempt-0", quoteId)),
      () => journal("Released", { attemptId: "attempt-0" }),
      () => journal("Claimed", claimed("attempt-1", quoteId)),
      () => journal("Concluded", concluded("attempt-1", "IN_DOUBT", bytes(doubt), null)),
      () => publish(doubt),
      () => journal("Released", { attemptId: "of-nobody" }),
      () => journal("Concluded", concluded("attempt-1", "SUCCEEDED", bytes(final), "ana: paid")),
      () => publish(final),
      () => journal("Published", { resultId: "final" }),
    ];
    const written: Written[] = [];
    for (const step of steps) written.push(...(await step()));
    return written;
  };

  test("is told from its record to its final result, over all topics, and nothing of others", async () => {
    const before = await writeDoubt("doubt-10", "Other-Quote");
    const written = await writeDoubt("doubt-1", "Quote-ABC");
    const history = await whole(() => histories.command("doubt-1", null));
    expect(places(history)).toEqual(written);
    expect(history.steps.map(({ kind }) => kind)).toEqual([
      ...["command", "claim", "release", "claim", "doubt", "result"],
      ...["other", "conclusion", "result", "other"],
    ]);
    expect(factsOf(history, 0)).toMatchObject({ quoteId: "Quote-ABC", amount: "1000.10", form: "JSON" });
    expect(factsOf(history, 3)).toMatchObject({ attempt: "attempt-1", "the call ends within": "12000 ms" });
    expect(factsOf(history, 4)).toMatchObject({ error: "ANSWER_LOST: no answer" });
    expect(history.steps[6]?.title).toContain("The journal's time");
    expect(factsOf(history, 7)).toMatchObject({ "operator's note": "ana: paid", "decided by": "OPERATOR" });
    expect(history.steps[8]).toMatchObject({ tone: "good", payload: '{"id":7}' });
    expect(history.notes.join(" ")).toContain("Nothing older than");
    expect(history.progress.read).toBe(history.progress.total);
    expect(changes).toBeGreaterThan(0);
    expect(places(await whole(() => histories.command("doubt-10", null)))).toEqual(before);
  });

  test("is found wherever its record stands, without a result and though it is a week old", async () => {
    const { topics, encoded, write } = world;
    const request = {
      ...{ direction: "INBOUND", purpose: "COMEX", quotedAmount: "10.00" },
      ...{ baseCurrencyIso: "USD", quotedCurrencyIso: "BRL" },
    };
    const command = {
      ...{ commandId: "elsewhere", issuedAt: 1, expiresAt: null },
      request: { [`${NAMESPACE}CreateQuote`]: request },
    };
    const value = encoded("command", command);
    const weekAgo = Date.now() - 6.5 * 24 * HOUR_MS;
    const [beside, place] = await write(topics.commands, [
      { key: "elsewhere", value: "something else", atMs: weekAgo },
      { key: "any-3", value, atMs: weekAgo },
    ]);
    expect(place?.partition).not.toBe(beside?.partition);
    const [junk] = await write(topics.results, [{ key: "elsewhere", value: "no result" }]);
    const found = await whole(() => histories.command("elsewhere", null));
    expect(places(found)).toEqual([place, junk]);
    expect(found.steps[0]).toMatchObject({ title: "Command: create a quote", kind: "command" });
    expect(found.steps[1]).toMatchObject({ title: "A record that this version cannot read", kind: "other" });
    expect(found.notes.join(" ")).toMatch(/commands: all \d+ partitions/);
  });

  test("shows its dead letters, and what comes while it is looked at", async () => {
    const { topics, write } = world;
    const value = accept("again", "quote-again");
    const [first] = await write(topics.commands, [{ key: "quote-again", value }]);
    const added = {
      ...{ "dead-letter-reason": "COMMAND_ID_REUSED", "dead-letter-detail": "other content" },
      ...{ "dead-letter-source": "command", "dead-letter-topic": topics.commands },
      ...{ "dead-letter-partition": "0", "dead-letter-offset": "7", "dead-letter-timestamp": "3" },
    };
    const history = await whole(() => histories.command("again", null));
    expect(places(history)).toEqual([first]);
    const [letter] = await write(topics.deadLetters, [{ key: "quote-again", value, headers: added }]);
    const later = await eventually(
      () => {
        const now = histories.command("again", null);
        return now.steps.length === 2 && now;
      },
      "the letter to be shown",
      30_000,
    );
    expect(places(later)).toEqual([first, letter]);
    expect(later.steps[1]).toMatchObject({ kind: "dead letter", title: "Dead letter: COMMAND_ID_REUSED" });
  });

  test("with an id that nothing has is told to be unknown; one that is too long is not searched for", async () => {
    for (const id of ["\u0000\u001b[2J\u202e", "<img src=x>", "\ud800", "%", "null -1"]) {
      const history = await whole(() => histories.command(id, null));
      expect(history).toMatchObject({ commandId: id, steps: [] });
      expect(history.notes.join(" ")).toContain("was not found");
    }
    for (const since of [-1, 1e300, Number.NaN])
      expect((await whole(() => histories.command("nobody", since))).steps).toEqual([]);
    for (const id of ["", "x".repeat(10_000)]) {
      const history = histories.command(id, null);
      expect(history).toMatchObject({ steps: [], progress: { isComplete: true, total: 0 } });
      expect(history.progress.problem).not.toBeNull();
      expect(history.commandId.length).toBeLessThan(300);
    }
  });
});

describe("a transaction", () => {
  const event = (transactionId: string, status: string, over: object = {}): Record<string, unknown> => ({
    ...{ eventId: `${transactionId}-${status}`, transactionId, status, stage: "IN_PROGRESS" },
    ...{ direction: "UNKNOWN", createdAt: "", occurredAt: null, receivedAt: Date.now(), source: "WEBHOOK" },
    ...{ outOfOrder: false, payload: `{"status":"${status}"}`, ...over },
  });

  test("is told by its statuses, each notification once, whatever stands beside them", async () => {
    const { topics, encoded, write } = world;
    const now = Date.now();
    const of = (id: string, value: object, atMs: number) => ({
      ...{ key: id, value: encoded("transaction-status-updated", value), atMs },
    });
    const written = await write(topics.events, [
      of("tx-1", event("tx-1", "AWAITING_PAYMENT", { direction: "OUTBOUND" }), now - 20 * 24 * HOUR_MS),
      of("tx-2", event("tx-2", "CANCELED"), now - HOUR_MS),
      of("tx-1", event("tx-1", "SETTLEMENT_IN_PROGRESS", { direction: "OUTBOUND" }), now - 5 * HOUR_MS),
      of(
        "tx-1",
        event("tx-1", "PAYMENT_CONFIRMED", {
          ...{ direction: "OUTBOUND", source: "NOTIFICATION_LOG", outOfOrder: true, occurredAt: now - 1 },
        }),
        now - 4 * HOUR_MS,
      ),
      of("tx-1", event("tx-1", "SETTLEMENT_IN_PROGRESS", { direction: "OUTBOUND" }), now - 3 * HOUR_MS),
      { key: "tx-1", value: "no event", atMs: now },
    ]);
    const history = await whole(() => histories.transaction("tx-1", null));
    expect(history).toMatchObject({ direction: "OUTBOUND", progress: { sinceMs: now - 20 * 24 * HOUR_MS } });
    expect(history.mainFlow[0]).toBe("AWAITING_PAYMENT");
    expect(history.statuses.map(({ status, place }) => ({ status, place }))).toEqual([
      { status: "AWAITING_PAYMENT", place: written[0] },
      { status: "SETTLEMENT_IN_PROGRESS", place: written[2] },
      { status: "PAYMENT_CONFIRMED", place: written[3] },
    ]);
    expect(history.statuses[2]).toMatchObject({ source: "NOTIFICATION_LOG", outOfOrder: true });
    const notes = history.notes.join(" ");
    for (const nth of [2, 4]) expect(notes).toContain(`[${written[nth]?.partition}]@${written[nth]?.offset}`);
    expect(notes).toContain("cannot be read");
    const young = await whole(() => histories.transaction("tx-1", now - 24 * HOUR_MS));
    expect(young.statuses).toHaveLength(2);
    const unknown = await whole(() => histories.transaction("tx-1\u0000", null));
    expect(unknown).toMatchObject({ direction: "UNKNOWN", mainFlow: [], statuses: [] });
  });

  test("with more than can be shown is cut, and says so", async () => {
    const { topics, encoded, writeMany } = world;
    const many = Array.from({ length: 2_500 }, (_, nth) => ({
      key: "tx-many",
      value: encoded("transaction-status-updated", event("tx-many", `STATUS_${nth}`)),
      atMs: Date.now() - 3_000 + nth,
    }));
    await writeMany(topics.events, many);
    const history = await whole(() => histories.transaction("tx-many", null));
    expect(history.statuses).toHaveLength(500);
    expect(history.statuses.at(-1)?.status).toBe("STATUS_2499");
    expect(history.notes.join(" ")).toContain("the newest 500");
  });
});
