import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Incoming } from "../../kafka/record.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { ToolServices, OnProgress, Progress } from "../tool-services.ts";
import { mayHold, readTopic } from "../read-topic.ts";
import { readersOf, type ReadRecord } from "./read-records.ts";
import { endingsOf, type Ending, type Found, type StoryStep } from "./step.ts";

export type { Ending, StoryStep };

/** Bounds memory, and the ids that each record is searched for. */
const MAX_STEPS = 1_000;
const MAX_IDS = 50;

const newSearch = (id: string) => {
  const quote = quoteKey(id);
  const commands = new Set<string>();
  const quotes = new Set([id, quote]);
  const transactions = new Set([id]);
  const byPlace = new Map<string, Found>();
  const notes = new Set<string>();
  const isRoomIn = (size: number, most: number): boolean => {
    if (size >= most) notes.add("There is more than is shown: ask by a commandId.");
    return size < most;
  };
  const learn = (ids: Set<string>, one: string): void => {
    if (one !== "" && !ids.has(one) && isRoomIn(ids.size, MAX_IDS)) ids.add(one);
  };
  return {
    commands,
    quotes,
    transactions,
    notes,
    found: (): Found[] => [...byPlace.values()].sort((a, b) => a.step.atMs - b.step.atMs),
    needles: (): Buffer[] =>
      [...new Set([...quotes, ...commands, ...transactions])].map((one) => Buffer.from(one)),
    take: (one: Found): void => {
      const { commandId, quoteId, externalId, transactionId } = one.ids;
      const isSame = quoteId !== "" && quoteKey(quoteId) === quote;
      const isAsked = isSame || [commandId, externalId, transactionId].includes(id);
      if (!isAsked && !commands.has(commandId) && !transactions.has(transactionId)) return;
      if (!byPlace.has(one.step.place) && !isRoomIn(byPlace.size, MAX_STEPS)) return;
      byPlace.set(one.step.place, one);
      learn(commands, commandId);
      learn(transactions, transactionId);
      learn(quotes, quoteId && quoteKey(quoteId));
    },
  };
};

/** The partitions that hold its keys are read, and all commands and dead letters, whose keys their senders choose. */
export const story = async (
  services: ToolServices,
  { id, sinceMs }: { id: string; sinceMs: number },
  onProgress: OnProgress,
  signal: AbortSignal,
) => {
  const { topics } = services.config;
  const readers = readersOf(services);
  const search = newSearch(id);
  const noting = { ...services, warn: (sentence: string) => void search.notes.add(sentence) };
  const readings = new Map<object, Progress>();

  const say = (reading: object, progress: Progress): void => {
    readings.set(reading, progress);
    let [read, total] = [0, 0];
    for (const each of readings.values()) [read, total] = [read + each.read, total + each.total];
    onProgress({ read, total });
  };

  /** @param keys of the partitions that are read; all are without it */
  const read = async (topic: string, reader: ReadRecord, keys?: Iterable<string>): Promise<void> => {
    const needles = search.needles();
    const take = async (record: Incoming): Promise<void> => {
      const { key, value } = record;
      const isLike = (needle: Buffer): boolean => mayHold(value, needle) || key?.equals(needle) === true;
      const one = needles.some(isLike) ? await reader(record) : null;
      if (one) search.take(one);
    };
    const hooks = { signal, onProgress: (progress: Progress) => say(needles, progress) };
    await readTopic(noting, { topic, fromMs: sinceMs, keys }, take, hooks).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      search.notes.add(error.message);
    });
  };

  const { commands, quotes, transactions } = search;
  await Promise.all([read(topics.commands, readers.command), read(topics.journal, readers.journal, quotes)]);
  // A commandId is the key of its results; any other id stands somewhere in them.
  await read(topics.results, readers.result, commands.has(id) ? [id] : undefined);
  const commandIds = search
    .found()
    .flatMap(({ ids, step }) => (step.kind === "command" ? [ids.commandId] : []));
  const isUnread = [...commands].some((commandId) => !commandIds.includes(commandId));
  await Promise.all([
    // A command that only its journal or its result named.
    isUnread ? read(topics.commands, readers.command) : null,
    read(topics.journal, readers.journal, [...quotes, ...commands]),
    read(topics.transactionStatus, readers.event, transactions),
    read(topics.deadLetters, readers.letter),
    read(topics.audit, readers.action),
  ]);
  const records = search.found();
  const steps = records.map(({ step }) => step);
  return { id, sinceMs, endings: endingsOf(records), steps, notes: [...search.notes] };
};

/** What the topics hold of it. `endings`: what became of it. `steps`: in order of time. `notes`: about the search. */
export type Story = Awaited<ReturnType<typeof story>>;
