import { requestHash } from "../../commands-to-results/translate.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Request } from "../../commands-to-results/types.ts";
import { commandReader } from "../../commands-to-results/wire/read.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { Incoming } from "../../kafka/record.ts";
import type { CommandResult } from "../../records.ts";
import { UsageError } from "../../runtime/errors.ts";
import { placeText } from "../../runtime/record-position.ts";
import type { ToolServices, OnProgress } from "../tool-services.ts";
import { mayHold, readTopic, type TopicReading } from "../read-topic.ts";
import type { Doubt } from "./doubts.ts";
import { learnTransactions } from "./transactions.ts";

/** A command was written before its claim; its sender's clock sets the record's time. */
const BEFORE_MS = 900_000;
/** A quote lives one business day, and may have been created so long before its accept. */
const QUOTE_LIFE_MS = 26 * 3_600_000;
/** With more doubts than this, reading each command is faster than searching it for each commandId. */
const MAX_NEEDLES = 20;

/** The amount of an accept, or of the creation of its quote, in digits as the command has them. */
type Amount = { text: string; from: "accept" } | { text: string; from: "quote"; currencies: string };

type Written = { place: string; request: Request };

const amountOf = (accept: Request | undefined, create: Request | undefined): Amount | null => {
  if (accept?.type === "AcceptQuote" && accept.amount !== null)
    return { text: accept.amount, from: "accept" };
  const quote = accept?.type === "CreateQuote" ? accept : create;
  if (quote?.type !== "CreateQuote") return null;
  const { quotedAmount: text, baseCurrencyIso, quotedCurrencyIso } = quote;
  return { text, from: "quote", currencies: `${baseCurrencyIso}/${quotedCurrencyIso}` };
};

/**
 * Finds what the call to the partner needs beside the doubts themselves: their commands, their amounts, and the
 * transactions that may be what the partner made of them. It reads each topic once or twice for all doubts together.
 */
export const factsOfDoubts = async (
  tools: ToolServices,
  doubts: readonly Doubt[],
  onProgress: OnProgress,
  signal: AbortSignal,
) => {
  const notes = new Set<string>();
  // Records that could not be read may be the evidence: people are told beside the facts.
  const services = { ...tools, warn: (sentence: string) => void notes.add(sentence) };
  const { config } = services;
  const { topics, commands } = config;
  const claimsMs = doubts.map(({ claimedAtMs }) => claimedAtMs).sort((a, b) => a - b);
  const [oldestMs, newestMs] = [claimsMs.at(0) ?? 0, claimsMs.at(-1) ?? 0];
  const fromMs = oldestMs - BEFORE_MS;
  const read = async (reading: TopicReading, take: (record: Incoming) => Promise<void>): Promise<void> => {
    if (doubts.length === 0) return;
    await readTopic(services, reading, take, { signal, onProgress }).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      notes.add(error.message);
    });
  };

  const readCommand = commandReader(services);
  /** Reads commands with these ids, and gives each to `take`. */
  const readCommands = (
    period: Pick<TopicReading, "fromMs" | "toMs">,
    ids: ReadonlySet<string>,
    take: (commandId: string, written: Written) => void,
  ): Promise<void> => {
    const needles = ids.size > MAX_NEEDLES ? null : [...ids].map((id) => Buffer.from(id));
    return read({ topic: topics.commands, ...period }, async (record) => {
      if (needles?.some((needle) => mayHold(record.value, needle)) === false) return;
      const checked = await readCommand(record.value, record.timestampMs);
      if (!checked.ok || !ids.has(checked.command.commandId)) return;
      const { commandId, request } = checked.command;
      take(commandId, { place: placeText(topics.commands, record), request });
    });
  };

  const transactions = learnTransactions(services, doubts);
  await read({ topic: topics.transactionStatus, fromMs }, transactions.takeEvent);

  // A commandId may be used for several commands: the claim says by its hash which of them it is.
  const written = new Map<Doubt, Written>();
  const byCommandId = Map.groupBy(doubts, ({ commandId }) => commandId);
  const takeCommand = (commandId: string, command: Written): void => {
    const hash = requestHash(command);
    for (const doubt of byCommandId.get(commandId) ?? [])
      if (doubt.requestHash === hash && !written.has(doubt)) written.set(doubt, command);
  };
  const ids = new Set(byCommandId.keys());
  const writtenFromMs = fromMs - commands.maxAgeMs;
  await readCommands({ fromMs: writtenFromMs, toMs: newestMs + BEFORE_MS }, ids, takeCommand);
  // A sender's clock that is ahead dates a command after its claim.
  if (doubts.some((doubt) => !written.has(doubt)))
    await readCommands({ fromMs: newestMs + BEFORE_MS }, ids, takeCommand);

  // Only a quote whose accept names no amount is looked up.
  const quotes = new Set(
    doubts.flatMap((doubt) =>
      doubt.quoteId !== null && amountOf(written.get(doubt)?.request, undefined) === null
        ? [quoteKey(doubt.quoteId)]
        : [],
    ),
  );
  const creators = new Map<string, string>();
  const decodeResult = decoder<CommandResult>(readSchema("command-result"), services);
  const createdFromMs = quotes.size > 0 ? oldestMs - QUOTE_LIFE_MS : fromMs;
  await read({ topic: topics.results, fromMs: createdFromMs }, async ({ value }) => {
    const decoded = value && (await decodeResult(value));
    if (!decoded?.ok) return;
    transactions.takeResult(decoded.value);
    const { operation, quoteId, commandId } = decoded.value;
    if (operation !== "CREATE_QUOTE" || quoteId === null || quotes.size === 0) return;
    const key = quoteKey(quoteId);
    if (quotes.has(key)) creators.set(commandId, key);
  });
  const created = new Map<string, Request>();
  if (creators.size > 0)
    await readCommands(
      { fromMs: createdFromMs - commands.maxAgeMs, toMs: newestMs },
      new Set(creators.keys()),
      (commandId, { request }) => void created.set(creators.get(commandId) ?? "", request),
    );

  const untilMs = services.clock.now();
  return transactions.conclude().map(({ doubt, ...rest }) => {
    const command = written.get(doubt) ?? null;
    const { request, place = null } = command ?? {};
    const quote = doubt.quoteId === null ? undefined : created.get(quoteKey(doubt.quoteId));
    return {
      ...rest,
      /** Where the command stands; null where it is gone or not readable any more. */
      command: place,
      counterpartyId: request?.type === "AcceptQuote" ? request.counterpartyId : null,
      /** Null where nothing in the topics says it. */
      amount: amountOf(request, quote),
      untilMs,
      /** What could not be looked up, as sentences. */
      notes: [...notes],
    };
  });
};

/** What the call to the partner needs, beside the doubt itself. */
export type DoubtFacts = Awaited<ReturnType<typeof factsOfDoubts>>[number];
