import { explainOutage } from "../../bridge/outage.ts";
import { scanRanges } from "../../bridge/scan-ranges.ts";
import { withCluster } from "../../bridge/with-cluster.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import type { Range } from "../../kafka/consume/tail.ts";
import { newPartitioner } from "../../kafka/produce/partitioner.ts";
import type { Incoming } from "../../kafka/record.ts";
import { positionText } from "../../runtime/record-position.ts";
import type { Connections, Progress } from "../connections.ts";
import { endingsOf, type Ending } from "./endings.ts";
import { readersOf, type Readers } from "./read-records.ts";
import type { Found, Step } from "./step.ts";

export type { Ending, Step };

/** `id`: of a command, a quote or a transaction, or an externalId. */
export type StoryRequest = { id: string; sinceMs: number };

/** What the topics hold of it. `endings`: what became of it. `steps`: in order of time. `notes`: about the search. */
export type Story = StoryRequest & {
  endings: readonly Ending[];
  steps: readonly Step[];
  notes: readonly string[];
};

/** Bounds memory, and the ids that each record is searched for. */
const MAX_STEPS = 1_000;
const MAX_IDS = 50;

type Partitions = "all" | readonly string[];
type Source = { topic: string; read: Readers[keyof Readers] };

/** Everything that is known by now, and what to look for. */
const newSearch = (id: string) => {
  const quote = quoteKey(id);
  const ids = { commands: new Set<string>(), quotes: new Set([id, quote]), transactions: new Set([id]) };
  const steps = new Map<string, Found>();
  let isCut = false;
  const add = (all: Set<string>, one: string): void => {
    if (one === "" || all.has(one)) return;
    if (all.size < MAX_IDS) all.add(one);
    else isCut = true;
  };
  return {
    ids,
    steps,
    isCut: () => isCut,
    needles: (): Buffer[] =>
      [...new Set([id, quote, ...ids.commands, ...ids.transactions])].map((text) => Buffer.from(text)),
    /** Keeps a record that is about it, and learns the ids of its command and its transaction. */
    take: (place: string, one: Found): void => {
      const { commandId, quoteId, externalId, transactionId } = one.ids;
      const isAsked =
        [commandId, externalId, transactionId].includes(id) ||
        (quoteId !== "" && quoteKey(quoteId) === quote);
      if (!isAsked && !ids.commands.has(commandId) && !ids.transactions.has(transactionId)) return;
      if (steps.size >= MAX_STEPS && !steps.has(place)) {
        isCut = true;
        return;
      }
      steps.set(place, one);
      add(ids.commands, commandId);
      add(ids.transactions, transactionId);
      if (quoteId !== "") add(ids.quotes, quoteKey(quoteId));
    },
  };
};

/**
 * Reads what the topics hold of a command, a quote or a transaction since a time: the partitions that hold its keys,
 * and all of the commands and the dead letters, whose keys their senders choose. `onProgress` may ask for what is
 * known so far.
 */
export const story = (
  connections: Connections,
  { id, sinceMs }: StoryRequest,
  onProgress: (progress: Progress, soFar: () => Story) => void,
  signal: AbortSignal,
): Promise<Story> => {
  const { config, services } = connections;
  const { topics } = config;
  const readers = readersOf(connections);
  const search = newSearch(id);
  const choose = newPartitioner();
  const missing = new Set<string>();
  /** The partitions that were read, as topic/partition. */
  const done = new Set<string>();
  const progress = { read: 0, total: 0 };

  const soFar = (): Story => {
    const all = [...search.steps.values()];
    const steps = all.map(({ step }) => step).sort((a, b) => a.atMs - b.atMs);
    const notes = [
      ...[...missing].map((topic) => `Topic ${topic} does not exist.`),
      ...(search.isCut() ? ["There is more than is shown: ask by a commandId."] : []),
    ];
    return { id, sinceMs, endings: endingsOf(all), steps, notes };
  };

  const read = async (
    cluster: Cluster,
    { topic, read }: Source,
    keys: Partitions,
    again = false,
  ): Promise<void> => {
    if (!(await cluster.find([topic])).has(topic)) {
      missing.add(topic);
      return;
    }
    const found = await cluster.ranges(topic, sinceMs);
    const wanted = keys === "all" ? null : new Set(keys.map((key) => choose(Buffer.from(key), found.size)));
    const ranges = new Map<number, Range>();
    for (const [partition, range] of found) {
      const name = positionText({ partition, offset: 0 }) + topic;
      if (wanted?.has(partition) === false || (done.has(name) && !again)) continue;
      done.add(name);
      ranges.set(partition, range);
      progress.total += range.endOffset - range.startOffset;
    }
    if (ranges.size === 0) return;
    const needles = search.needles();
    const isLike = ({ key, value }: Incoming): boolean =>
      needles.some((needle) => value?.includes(needle) === true || key?.equals(needle) === true);
    await scanRanges({ services, signal }, { topic, purpose: "story", ranges }, async (record) => {
      progress.read += 1;
      onProgress(progress, soFar);
      if (!isLike(record)) return;
      const one = await read(record);
      if (one) search.take(`${topic}/${positionText(record)}`, one);
    });
  };

  const readAll = async (cluster: Cluster): Promise<Story> => {
    const commands = { topic: topics.commands, read: readers.command };
    const journal = { topic: topics.journal, read: readers.journal };
    const results = { topic: topics.results, read: readers.result };
    await Promise.all([read(cluster, commands, "all"), read(cluster, journal, [...search.ids.quotes])]);
    // A commandId is the key of its results; any other id stands somewhere in them.
    const isCommand = search.ids.commands.has(id);
    await read(cluster, results, isCommand ? [id] : "all");
    const { ids, steps } = search;
    const known = new Set(
      [...steps.values()].flatMap(({ ids, step }) => (step.kind === "command" ? [ids.commandId] : [])),
    );
    await Promise.all([
      // A command that only its journal or its result named.
      [...ids.commands].some((commandId) => !known.has(commandId))
        ? read(cluster, commands, "all", true)
        : null,
      read(cluster, journal, [...ids.quotes, ...ids.commands]),
      read(cluster, { topic: topics.transactionStatus, read: readers.event }, [...ids.transactions]),
      read(cluster, { topic: topics.deadLetters, read: readers.letter }, "all"),
      read(cluster, { topic: topics.audit, read: readers.action }, "all"),
    ]);
    return soFar();
  };
  return explainOutage(config, withCluster(services, readAll), signal);
};
