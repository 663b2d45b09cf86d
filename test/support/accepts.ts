import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import avro from "avsc";
import { eventually } from "./eventually.ts";
import { committedTotal, followTopic, produce, type Seen } from "./topic.ts";
import type { World } from "./world.ts";

type Result = {
  resultId: string;
  commandId: string;
  outcome: string;
  final: boolean;
  quoteId: string | null;
};
type Executions = { executions: number; quotes: number; executedTwice: string[]; exact: boolean };

const schema: unknown = JSON.parse(
  readFileSync(new URL("../../schemas/command-result.avsc", import.meta.url), "utf8"),
);
const resultType = avro.Type.forSchema(schema as avro.Schema);

/** The value of a result, read with avsc alone. */
export const decodeResult = ({ value }: Seen): Result =>
  resultType.fromBuffer((value ?? Buffer.alloc(5)).subarray(5)) as Result;

/** What the world outside saw of accepts, each of a quote of its own. */
export type Account = {
  sent: number;
  unanswered: string[];
  /** Commands with more than one final result that differ. */
  twoFinals: string[];
  succeeded: number;
  inDoubt: number;
  /** Not executed although SUCCEEDED; executed although FAILED or REJECTED. */
  falseYes: string[];
  falseNo: string[];
  executedTwice: string[];
  committed: number;
};

/** Sends accepts and keeps the books about them: results topic, the sandbox's counters, committed offsets. */
export const sendAccepts = async (world: World, brokers: string) => {
  const results = new Map<string, Result[]>();
  const quotes = new Map<string, string>();
  const stop = await followTopic(brokers, world.topics.results, (record) => {
    const result = decodeResult(record);
    const list = results.get(result.commandId);
    if (list) list.push(result);
    else results.set(result.commandId, [result]);
  });

  const final = (list: readonly Result[]): Result | undefined => list.find((result) => result.final);

  return {
    results,
    stop,
    answered: () => results.size,
    send: async (count: number, issuedAt = new Date()): Promise<void> => {
      const messages = Array.from({ length: count }, () => {
        const commandId = randomUUID();
        const quoteId = randomUUID();
        quotes.set(commandId, quoteId);
        const request = { type: "AcceptQuote", quoteId, counterpartyId: "cp-1" };
        return {
          key: quoteId,
          value: JSON.stringify({ commandId, issuedAt: issuedAt.toISOString(), request }),
        };
      });
      await produce(brokers, world.topics.commands, messages);
    },
    /** Waits until every command has a result and every offset is committed; then draws up the account. */
    settle: async (withinMs: number): Promise<Account> => {
      await eventually(() => results.size >= quotes.size, withinMs).catch(() => undefined);
      await eventually(
        async () => (await committedTotal(brokers, world.groupId, world.topics.commands)) >= quotes.size,
        30_000,
      ).catch(() => undefined);
      const executed = new Set<string>();
      const { executedTwice } = await world.sandbox<Executions>("/_sandbox/executions");
      const account: Account = {
        sent: quotes.size,
        unanswered: [...quotes.keys()].filter((commandId) => !results.has(commandId)),
        twoFinals: [],
        succeeded: 0,
        inDoubt: 0,
        falseYes: [],
        falseNo: [],
        executedTwice,
        committed: await committedTotal(brokers, world.groupId, world.topics.commands),
      };
      for (const [commandId, list] of results) {
        const finals = new Set(list.filter((result) => result.final).map((result) => JSON.stringify(result)));
        if (finals.size > 1) account.twoFinals.push(commandId);
        const end = final(list);
        if (!end) account.inDoubt += 1;
        else if (end.outcome === "SUCCEEDED") account.succeeded += 1;
      }
      for (const [commandId, quoteId] of quotes) {
        const end = final(results.get(commandId) ?? []);
        if (!end) continue;
        const { executions } = await world.sandbox<{ executions: number }>(`/_sandbox/executions/${quoteId}`);
        if (executions > 0) executed.add(quoteId);
        if (end.outcome === "SUCCEEDED" && executions === 0) account.falseYes.push(commandId);
        if (end.outcome !== "SUCCEEDED" && executions > 0) account.falseNo.push(commandId);
      }
      return account;
    },
  };
};
