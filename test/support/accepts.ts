import { randomUUID } from "node:crypto";
import { drawUp, type Account } from "./account.ts";
import { eventually } from "./eventually.ts";
import { decodeResult, type Result } from "./result.ts";
import { committedTotal, followTopic, openProducer } from "./topic.ts";
import type { World } from "./world.ts";

/** Sends accepts and keeps the books about them: results topic, the sandbox's counters, committed offsets. */
export const sendAccepts = async (world: World, brokers: string) => {
  const results = new Map<string, Result[]>();
  const quotes = new Map<string, string>();
  const unfollow = await followTopic(brokers, world.topics.results, (record) => {
    const result = decodeResult(record);
    const list = results.get(result.commandId);
    if (list) list.push(result);
    else results.set(result.commandId, [result]);
  });
  const producer = await openProducer(brokers);

  const committed = (): Promise<number> => committedTotal(brokers, world.groupId, world.topics.commands);

  return {
    results,
    answered: () => results.size,
    sent: () => quotes.size,
    send: async (count: number): Promise<void> => {
      const messages = Array.from({ length: count }, () => {
        const commandId = randomUUID();
        const quoteId = randomUUID();
        quotes.set(commandId, quoteId);
        const request = { type: "AcceptQuote", quoteId, counterpartyId: "cp-1" };
        return { key: quoteId, value: JSON.stringify({ commandId, issuedAt: Date.now(), request }) };
      });
      await producer.produce(world.topics.commands, messages);
    },
    /** Waits until every command has a result and every offset is committed; then draws up the account. */
    settle: async (withinMs: number): Promise<Account> => {
      await eventually(() => results.size >= quotes.size, withinMs).catch(() => undefined);
      await eventually(async () => (await committed()) >= quotes.size, 30_000).catch(() => undefined);
      return drawUp(world, { quotes, results, committed: await committed() });
    },
    stop: async () => {
      await Promise.all([unfollow(), producer.close()]);
    },
  };
};
