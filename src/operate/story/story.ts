import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Incoming } from "../../kafka/record.ts";
import type { Tools, Progress } from "../tools.ts";
import { askOrWarn, mayHold, readTopic } from "../read-topic.ts";
import { readersOf, type ReadRecord } from "./read-records.ts";
import { endingsOf, type Ending, type StoryRecord, type StoryStep } from "./step.ts";

export type { Ending, StoryStep };

/** Bounds memory, and the ids that each record is searched for. */
const MAX_STEPS = 1_000;
const MAX_IDS = 50;

const newSearch = (id: string) => {
  const quote = quoteKey(id);
  const commands = new Set<string>();
  const quotes = new Set([id, quote]);
  const transactions = new Set([id]);
  const byPlace = new Map<string, StoryRecord>();
  const notes = new Set<string>();
  const isRoomIn = (size: number, most: number): boolean => {
    if (size >= most) notes.add("There is more than is shown: ask by a commandId.");
    return size < most;
  };
  const learn = (ids: Set<string>, newId: string): void => {
    if (newId !== "" && !ids.has(newId) && isRoomIn(ids.size, MAX_IDS)) ids.add(newId);
  };
  return {
    commands,
    quotes,
    transactions,
    notes,
    records: (): StoryRecord[] => [...byPlace.values()].sort((a, b) => a.step.atMs - b.step.atMs),
    needles: (): Buffer[] =>
      [...new Set([...quotes, ...commands, ...transactions])].map((one) => Buffer.from(one)),
    take: (record: StoryRecord): void => {
      const { commandId, quoteId, externalId, transactionId } = record.ids;
      const isSame = quoteId !== "" && quoteKey(quoteId) === quote;
      const isMatch = isSame || [commandId, externalId, transactionId].includes(id);
      if (!isMatch && !commands.has(commandId) && !transactions.has(transactionId)) return;
      if (!byPlace.has(record.step.place) && !isRoomIn(byPlace.size, MAX_STEPS)) return;
      byPlace.set(record.step.place, record);
      learn(commands, commandId);
      learn(transactions, transactionId);
      learn(quotes, quoteId && quoteKey(quoteId));
    },
  };
};

/** The partitions that hold its keys are read, and all commands and dead letters, whose keys their senders choose. */
export const readStory = async (tools: Tools, { id, sinceMs }: { id: string; sinceMs: number }) => {
  const { topics } = tools.config;
  const readers = readersOf(tools);
  const search = newSearch(id);
  const noting = { ...tools, warn: (sentence: string) => void search.notes.add(sentence) };
  /** The sum of all topics. */
  const progress: Progress = { read: 0, total: 0 };

  const read = async (topic: string, reader: ReadRecord, keys?: Iterable<string>): Promise<void> => {
    const needles = search.needles();
    const take = async (record: Incoming): Promise<void> => {
      const { key, value } = record;
      const isLike = (needle: Buffer): boolean => mayHold(value, needle) || key?.equals(needle) === true;
      const match = needles.some(isLike) ? await reader(record) : null;
      if (match) search.take(match);
    };
    let last: Progress = { read: 0, total: 0 };
    const onProgress = (next: Progress): void => {
      progress.read += next.read - last.read;
      progress.total += next.total - last.total;
      last = next;
      tools.onProgress(progress);
    };
    const reading = readTopic({ ...noting, onProgress }, { topic, fromMs: sinceMs, keys }, take);
    await askOrWarn(noting, reading, null);
  };

  const { commands, quotes, transactions } = search;
  await Promise.all([read(topics.commands, readers.command), read(topics.journal, readers.journal, quotes)]);
  // A commandId is the key of its results; any other id stands somewhere in them.
  await read(topics.results, readers.result, commands.has(id) ? [id] : undefined);
  const commandIds = search
    .records()
    .flatMap(({ ids, step }) => (step.kind === "command" ? [ids.commandId] : []));
  const isUnread = [...commands].some((commandId) => !commandIds.includes(commandId));
  await Promise.all([
    // The commands are read again if only a journal entry or a result named one.
    isUnread ? read(topics.commands, readers.command) : null,
    read(topics.journal, readers.journal, [...quotes, ...commands]),
    read(topics.transactionStatus, readers.event, transactions),
    read(topics.deadLetters, readers.letter),
    read(topics.audit, readers.action),
  ]);
  const records = search.records();
  const steps = records.map(({ step }) => step);
  return { id, sinceMs, endings: endingsOf(records), steps, notes: [...search.notes] };
};

/** What the topics hold of it. `endings`: what became of it. `steps`: in order of time. `notes`: about the search. */
export type Story = Awaited<ReturnType<typeof readStory>>;
