import { randomUUID } from "node:crypto";
import { drawUp, type Account } from "./account.ts";
import { eventually } from "./eventually.ts";
import { decodeResult, type Result } from "./result.ts";
import { followTopics } from "./follow.ts";
import { committedTotal } from "./kafka.ts";
import { openProducer } from "./produce.ts";
import type { World } from "./world.ts";

/** Two that are equal but for their key are the same command. */
export type Accept = {
  commandId: string;
  quoteId: string;
  /** Of the record. */
  key: string;
  counterpartyId?: string;
};

export const messageOf = ({ commandId, quoteId, key, counterpartyId = "cp-1" }: Accept) => ({
  key,
  value: JSON.stringify({ commandId, request: { type: "AcceptQuote", quoteId, counterpartyId } }),
});

/** Accepts of as many quotes, each with a key of its own. */
export const newAccepts = (count: number): Accept[] =>
  Array.from({ length: count }, () => {
    const quoteId = randomUUID();
    return { commandId: randomUUID(), quoteId, key: quoteId };
  });

/** Sends accepts and keeps the books about them until the world ends: results topic, the sandbox's counters, committed offsets. */
export const sendAccepts = async ({ brokers, topics, groupId, ...world }: World) => {
  const results = new Map<string, Result[]>();
  const quotes = new Map<string, string>();
  const unfollow = await followTopics(brokers, [topics.results], (record) => {
    const result = decodeResult(record);
    const list = results.get(result.commandId);
    if (list) list.push(result);
    else results.set(result.commandId, [result]);
  });
  const producer = await openProducer(brokers);
  world.defer(() => Promise.all([unfollow(), producer.close()]));

  let records = 0;
  const submit = async (accepts: readonly Accept[]): Promise<void> => {
    for (const { commandId, quoteId } of accepts) quotes.set(commandId, quoteId);
    records += accepts.length;
    await producer.produce(topics.commands, accepts.map(messageOf));
  };
  const committed = (): Promise<number> => committedTotal(brokers, groupId, topics.commands);

  return {
    results,
    answered: () => results.size,
    sent: () => quotes.size,
    submit,
    send: (count: number): Promise<void> => submit(newAccepts(count)),
    /** Waits until every command has a result and every offset is committed; then draws up the account. */
    settle: async (withinMs: number): Promise<Account> => {
      await eventually(() => results.size >= quotes.size, "every result", withinMs).catch(() => undefined);
      await eventually(async () => (await committed()) >= records, "every commit", 30_000).catch(
        () => undefined,
      );
      return drawUp(world, { quotes, results, committed: await committed() });
    },
  };
};
