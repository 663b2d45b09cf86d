import { requestHash } from "../../commands-to-results/translate.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Request } from "../../commands-to-results/types.ts";
import { commandReader } from "../../commands-to-results/wire/read.ts";
import type { TakeRecord } from "../../kafka/consume/scan.ts";
import type { Incoming } from "../../kafka/record.ts";
import type { CommandResult, TransactionStatusUpdated } from "../../records.ts";
import { stringOf } from "../../runtime/json.ts";
import { placeText } from "../../runtime/record-position.ts";
import type { Tools } from "../tools.ts";
import { askOrWarn, readTopic, valueReader } from "../read-topic.ts";
import type { Doubt } from "./doubts.ts";

/** A transaction as far as the events topic tells. Null where it holds no event of the transaction. */
export type Transaction = {
  transactionId: string;
  firstStatus: string | null;
  lastStatus: string | null;
  firstAtMs: number | null;
};

/** Why a transaction is thought to be that of a doubt: an event's payload names the doubt, or its own answer says so. */
export type DoubtEvidence = Transaction & ({ kind: "event"; text: string } | { kind: "answer" });

/** The clocks of replicas may differ from the brokers' by so much. */
const SKEW_MS = 60_000;
/** Bounds memory. Those that began first are kept. */
const MAX_TRANSACTIONS = 100_000;
const MAX_CANDIDATES = 20;
const MAX_EVIDENCE = 5;

/** The texts (names of members, too) and the numbers in a JSON text, as written. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Gives nearly all spellings of a quoteId one text. It is cheaper than `quoteKey`, which decides. */
const roughly = (text: string): string => text.toLowerCase().replace(/[^0-9a-z]/g, "");

const namesOf = (doubts: readonly Doubt[]) => {
  const byQuote = Map.groupBy(doubts, ({ quoteId }) => roughly(quoteId));
  const byExternalId = Map.groupBy(doubts, ({ externalId }) => externalId || null);
  const doubtsNamed = (text: string): ReadonlySet<Doubt> => {
    const alike = byQuote.get(roughly(text)) ?? [];
    const doubtsOfQuote = alike.filter(({ quoteId }) => quoteKey(quoteId) === quoteKey(text));
    return new Set([...doubtsOfQuote, ...(byExternalId.get(text) ?? [])]);
  };
  return (json: string) =>
    (json.match(JSON_TOKEN) ?? []).flatMap((token) => {
      const text = token.startsWith('"') ? stringOf(token) : token;
      return [...doubtsNamed(text)].map((doubt) => ({ doubt, text }));
    });
};

const learnTransactions = (tools: Tools, doubts: readonly Doubt[]) => {
  const readEvent = valueReader<TransactionStatusUpdated>(tools, "transaction-status-updated");
  const findNames = namesOf(doubts);
  const answered = new Set(doubts.map(({ transactionId }) => transactionId));
  /** In the order in which they began, within a partition. */
  const transactions = new Map<string, Transaction & { firstAtMs: number }>();
  const explained = new Set<string>();
  /** By doubt and transaction, the text in an event that names the doubt. */
  const texts = new Map(doubts.map((doubt) => [doubt, new Map<string, string>()]));
  let isCut = false;

  const evidenceOf = (doubt: Doubt): DoubtEvidence[] => {
    const none = { firstStatus: null, lastStatus: null, firstAtMs: null };
    const about = (transactionId: string): Transaction =>
      transactions.get(transactionId) ?? { transactionId, ...none };
    const events = Array.from(
      texts.get(doubt) ?? [],
      ([transactionId, text]) => ({ kind: "event", text, ...about(transactionId) }) as const,
    );
    // Partitions are read side by side: the oldest comes first, whichever was read first.
    events.sort((one, other) => (one.firstAtMs ?? 0) - (other.firstAtMs ?? 0));
    const { transactionId } = doubt;
    return transactionId === null ? events : [...events, { kind: "answer", ...about(transactionId) }];
  };

  return {
    takeEvent: async ({ value, timestampMs }: Incoming): Promise<void> => {
      const event = await readEvent(value);
      if (event === null) return;
      const { transactionId, status, payload } = event;
      const names = findNames(payload);
      for (const { doubt, text } of names) {
        const doubtTexts = texts.get(doubt);
        if (doubtTexts && doubtTexts.size < MAX_EVIDENCE) doubtTexts.set(transactionId, text);
      }
      const transaction = transactions.get(transactionId);
      if (transaction) transaction.lastStatus = status;
      else if (transactions.size < MAX_TRANSACTIONS || names.length > 0 || answered.has(transactionId)) {
        const ends = { firstStatus: status, lastStatus: status, firstAtMs: timestampMs };
        transactions.set(transactionId, { transactionId, ...ends });
      } else isCut = true;
    },
    takeResult: ({ transactionId }: CommandResult): void => {
      if (transactionId !== null && transactions.has(transactionId)) explained.add(transactionId);
    },
    conclude: () => {
      const unexplained = [...transactions.values()]
        .filter(({ transactionId }) => !explained.has(transactionId))
        .sort((a, b) => a.firstAtMs - b.firstAtMs);
      return doubts.map((doubt) => {
        const evidence = evidenceOf(doubt);
        const sinceMs = doubt.claimedAtMs - SKEW_MS;
        const later = unexplained.filter(({ firstAtMs }) => firstAtMs >= sinceMs);
        const ids = evidence.map(({ transactionId }) => transactionId);
        return {
          doubt,
          evidence,
          candidates: later
            .slice(0, MAX_CANDIDATES)
            .filter(({ transactionId }) => !ids.includes(transactionId)),
          more: Math.max(0, later.length - MAX_CANDIDATES),
          isCut,
          sinceMs,
        };
      });
    },
  };
};

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
export const factsOfDoubts = async (tools: Tools, doubts: readonly Doubt[]) => {
  const notes = new Set<string>();
  // Records that could not be read may be the evidence: people are told beside the facts.
  const noting = { ...tools, warn: (sentence: string) => void notes.add(sentence) };
  const { topics, commands } = tools.config;
  const oldestMs = doubts.reduce((oldest, { claimedAtMs }) => Math.min(oldest, claimedAtMs), Infinity);
  const createdFromMs = oldestMs - QUOTE_LIFE_MS;
  const read = async (topic: string, fromMs: number, take: TakeRecord): Promise<void> => {
    if (doubts.length > 0) await askOrWarn(noting, readTopic(noting, { topic, fromMs }, take), null);
  };

  const transactions = learnTransactions(noting, doubts);
  await read(topics.transactionStatus, oldestMs - BEFORE_MS, transactions.takeEvent);

  const creators = new Map<string, string>();
  const quotes = new Set(doubts.map(({ quoteId }) => quoteKey(quoteId)));
  const readResult = valueReader<CommandResult>(noting, "command-result");
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
  const readCommand = commandReader(noting);
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

  const untilMs = tools.clock.now();
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
