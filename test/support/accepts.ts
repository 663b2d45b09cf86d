import { randomUUID } from "node:crypto";
import { tallyAccepts, type AcceptTally } from "./accept-tally.ts";
import { eventually } from "./eventually.ts";
import { decodeResult, type Result } from "./result.ts";
import { followTopics } from "./follow-topics.ts";
import { committedTotal } from "./kafka.ts";
import { openProducer } from "./produce.ts";
import type { World } from "./world.ts";

/** Two accepts that differ only in `key` are the same command. */
export type Accept = {
  commandId: string;
  quoteId: string;
  /** The key of the record. */
  key: string;
  counterpartyId?: string;
};

export const messageOf = ({ commandId, quoteId, key, counterpartyId = "cp-1" }: Accept) => ({
  key,
  value: JSON.stringify({ commandId, request: { type: "AcceptQuote", quoteId, counterpartyId } }),
});

/** Accepts for different quotes; the key of each is its quoteId. */
export const newAccepts = (count: number): Accept[] =>
  Array.from({ length: count }, () => {
    const quoteId = randomUUID();
    return { commandId: randomUUID(), quoteId, key: quoteId };
  });

/** Sends accepts, and records their results until the world is closed. @param follow how results are read */
export const sendAccepts = async (
  { brokers, topics, groupId, ...world }: World,
  follow: typeof followTopics = followTopics,
) => {
  const results = new Map<string, Result[]>();
  const quotes = new Map<string, string>();
  const unfollow = await follow(brokers, [topics.results], (record) => {
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
    isAnswered: ({ commandId }: { commandId: string }): boolean => results.has(commandId),
    sent: () => quotes.size,
    submit,
    send: (count: number): Promise<void> => submit(newAccepts(count)),
    /** Waits until every command has a result and every offset is committed; then tallies them. */
    settle: async (withinMs: number): Promise<AcceptTally> => {
      await eventually(() => results.size >= quotes.size, "every result", withinMs).catch(() => undefined);
      await eventually(async () => (await committed()) >= records, "every commit", 30_000).catch(
        () => undefined,
      );
      return tallyAccepts(world, { quotes, results, committed: await committed() });
    },
  };
};
