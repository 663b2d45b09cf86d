import { requestHash } from "../../commands-to-results/translate.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Request } from "../../commands-to-results/types.ts";
import { commandReader } from "../../commands-to-results/wire/read.ts";
import type { TakeRecord } from "../../kafka/consume/scan.ts";
import type { CommandResult } from "../../records.ts";
import { placeText } from "../../runtime/record-position.ts";
import type { ToolServices } from "../tool-services.ts";
import { orWarn, readTopic, valueReader } from "../read-topic.ts";
import type { Doubt } from "./doubts.ts";
import { learnTransactions } from "./transactions.ts";

/** A command was written before its claim; its sender's clock sets the record's time. */
const BEFORE_MS = 900_000;
/** A quote lives one business day, and may have been created so long before its accept. */
const QUOTE_LIFE_MS = 26 * 3_600_000;

/** The amount of an accept, or of the creation of its quote, in digits as the command has them. */
type Amount = { text: string; from: "accept" } | { text: string; from: "quote"; currencies: string };

type Written = { place: string; request: Request };

const amountOf = (accept: Request | undefined, create: Request | undefined): Amount | null => {
  if (accept?.type === "AcceptQuote" && accept.amount !== null)
    return { text: accept.amount, from: "accept" };
  if (create?.type !== "CreateQuote") return null;
  const { quotedAmount: text, baseCurrencyIso, quotedCurrencyIso } = create;
  return { text, from: "quote", currencies: `${baseCurrencyIso}/${quotedCurrencyIso}` };
};

/** Reads each topic once for all doubts together. */
export const factsOfDoubts = async (tools: ToolServices, doubts: readonly Doubt[]) => {
  const notes = new Set<string>();
  // Records that could not be read may be the evidence: people are told beside the facts.
  const services = { ...tools, warn: (sentence: string) => void notes.add(sentence) };
  const { topics, commands } = services.config;
  const oldestMs = doubts.reduce((oldest, { claimedAtMs }) => Math.min(oldest, claimedAtMs), Infinity);
  const createdFromMs = oldestMs - QUOTE_LIFE_MS;
  const read = async (topic: string, fromMs: number, take: TakeRecord): Promise<void> => {
    if (doubts.length > 0) await orWarn(services, readTopic(services, { topic, fromMs }, take), null);
  };

  const transactions = learnTransactions(services, doubts);
  await read(topics.transactionStatus, oldestMs - BEFORE_MS, transactions.takeEvent);

  const creators = new Map<string, string>();
  const quotes = new Set(doubts.map(({ quoteId }) => quoteKey(quoteId)));
  const readResult = valueReader<CommandResult>(services, "command-result");
  await read(topics.results, createdFromMs, async ({ value }) => {
    const result = await readResult(value);
    if (result === null) return;
    transactions.takeResult(result);
    if (result.operation !== "CREATE_QUOTE" || result.quoteId === null) return;
    if (quotes.has(quoteKey(result.quoteId))) creators.set(result.commandId, quoteKey(result.quoteId));
  });

  const written = new Map<Doubt, Written>();
  const created = new Map<string, Request>();
  const byCommandId = Map.groupBy(doubts, ({ commandId }) => commandId);
  const readCommand = commandReader(services);
  await read(topics.commands, createdFromMs - commands.maxAgeMs, async (record) => {
    const checked = await readCommand(record.value, record.timestampMs);
    if (!checked.ok) return;
    const { commandId, request } = checked.command;
    const quote = creators.get(commandId);
    if (quote !== undefined) created.set(quote, request);
    const doubtsOfCommand = byCommandId.get(commandId) ?? [];
    // A commandId may be used for several commands: the claim says by its hash which of them it is.
    const hash = doubtsOfCommand.length > 0 ? requestHash({ request }) : null;
    for (const doubt of doubtsOfCommand)
      if (doubt.requestHash === hash && !written.has(doubt))
        written.set(doubt, { place: placeText(topics.commands, record), request });
  });

  const untilMs = services.clock.now();
  return transactions.conclude().map((learned) => {
    const { doubt } = learned;
    const { request, place = null } = written.get(doubt) ?? {};
    return {
      ...learned,
      /** Where the command stands; null where it is gone or not readable any more. */
      command: place,
      counterpartyId: request?.type === "AcceptQuote" ? request.counterpartyId : null,
      amount: amountOf(request, created.get(quoteKey(doubt.quoteId))),
      untilMs,
      notes: [...notes],
    };
  });
};

export type DoubtFacts = Awaited<ReturnType<typeof factsOfDoubts>>[number];
