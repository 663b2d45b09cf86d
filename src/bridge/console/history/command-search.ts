import { quoteKey } from "../../../commands-to-results/quote-key.ts";
import type { CommandHistory, Step } from "../../../console/ports.ts";
import type { Incoming } from "../../../kafka/record.ts";
import { newPartitioner } from "../../../kafka/produce/partitioner.ts";
import type { ReadRecord, FoundRecord } from "./command-records.ts";
import { commandNotes } from "./command-notes.ts";
import { unreadableStep, withoutClaim } from "./command-steps.ts";
import { createCoverage, type Partitions, type SearchDeps } from "./coverage.ts";
import { rangesOf } from "../ranges.ts";
import type { Search } from "./searches.ts";
import { createTimeline } from "./timeline.ts";
import { windowReader, windowsFrom } from "./time-windows.ts";

type Records = Readonly<Record<"command" | "journal" | "result" | "letter", ReadRecord>>;

/** A command names one quote. Bounds the search for a commandId that was used for many. */
const MAX_QUOTES = 10;

const lengthOf = ({ title, facts, payload }: Step): number =>
  title.length + (payload?.length ?? 0) + facts.reduce((sum, fact) => sum + fact.join("").length, 0);

/**
 * Searches the topics for a command: first in the partitions of its id and its quote; then, if its record was
 * not found, in all partitions of the commands, the journal and the dead letters.
 */
export const commandSearch = (
  deps: SearchDeps & { records: Records },
  commandId: string,
  sinceMs: number | null,
): Search<CommandHistory> => {
  const { config, services, cluster, records } = deps;
  const { commands, journal, results, deadLetters } = config.topics;
  const id = Buffer.from(commandId);
  const choose = newPartitioner();
  const timeline = createTimeline<FoundRecord>();
  const quotes = new Set<string>();
  const claimed = new Set<string>();
  const seen = { command: false, claim: false, final: false, calls: 0 };
  let sizes: ReadonlyMap<string, number> = new Map();
  let isComplete = false;

  /** In the order in which a command passes through them. */
  const readers = new Map([
    [commands, records.command],
    [journal, records.journal],
    [results, records.result],
    [deadLetters, records.letter],
  ]);
  const ranks = [...readers.keys()];
  const remember = ({ step, quoteId, attemptId, isFinal, calls }: FoundRecord): void => {
    if (quoteId !== null && quotes.size < MAX_QUOTES) quotes.add(quoteId);
    if (step.kind === "claim" && attemptId !== null) claimed.add(attemptId);
    seen.command ||= step.kind === "command";
    seen.claim ||= step.kind === "claim";
    seen.final ||= isFinal;
    seen.calls = Math.max(seen.calls, calls);
  };
  const unreadable = (record: Incoming): FoundRecord => ({
    step: unreadableStep(record),
    commandId,
    quoteId: null,
    attemptId: null,
    isFinal: false,
    calls: 0,
  });
  const addIfMatching = async (record: Incoming, read: ReadRecord): Promise<void> => {
    const found = (await read(record)) ?? (record.key?.equals(id) === true ? unreadable(record) : null);
    if (found?.commandId !== commandId) return;
    remember(found);
    const { atMs, place } = found.step;
    timeline.add({
      atMs,
      rank: ranks.indexOf(place.topic),
      place,
      length: lengthOf(found.step),
      value: found,
    });
  };
  const take = (record: Incoming): void | Promise<void> => {
    const { key, value, topic } = record;
    const read = readers.get(topic);
    // Bytes are compared before decoding: hardly any record matches.
    if (read && (value?.includes(id) === true || key?.equals(id) === true))
      return addIfMatching(record, read);
  };
  const coverage = createCoverage(deps, take);

  const partitionOf = (topic: string, key: string): number => choose(Buffer.from(key), sizes.get(topic) ?? 1);
  /** The partitions of the keys that its records may have: its id and its quotes. */
  const likely = (): Partitions => {
    const spellings = [...quotes].flatMap((quote) => [quote, quoteKey(quote)]);
    const of = (topic: string): [string, ReadonlySet<number>] => [
      topic,
      new Set([commandId, ...spellings].map((key) => partitionOf(topic, key))),
    ];
    return new Map([
      of(commands),
      of(journal),
      of(deadLetters),
      [results, new Set([partitionOf(results, commandId)])],
    ]);
  };
  /**
   * Without the journal where a claim or a quote is known: the journal's key is the quoteId, so it was read.
   */
  const everywhere = (): Partitions =>
    new Map(
      [commands, deadLetters, ...(seen.claim || quotes.size > 0 ? [] : [journal])].map((topic) => [
        topic,
        new Set(Array(sizes.get(topic) ?? 0).keys()),
      ]),
    );

  const countPartitions = async (): Promise<ReadonlyMap<string, number>> => {
    const counted = ranks.map(async (topic): Promise<[string, number]> => [
      topic,
      (await rangesOf(cluster, topic)).size,
    ]);
    return new Map(await Promise.all(counted));
  };
  const windows = windowsFrom(sinceMs, services.clock.now());
  const near = windowReader(coverage, windows);
  const far = windowReader(coverage, windows);
  const isWhole = (): boolean => seen.command && seen.final && (seen.claim || seen.calls === 0);
  /** With a given start, everything since then is wanted. */
  const isEnough = (): boolean => sinceMs === null && isWhole();

  return {
    run: async (signal) => {
      if (sizes.size === 0) sizes = await countPartitions();
      await coverage.catchUp(signal);
      await near.read(likely, isEnough, signal);
      if (!seen.command) {
        await far.read(everywhere, () => seen.command, signal);
        await near.read(likely, isEnough, signal);
      }
      isComplete = true;
    },
    snapshot: () => ({
      commandId,
      steps: timeline.all().map(({ value: { step, attemptId } }) => {
        const hasNoClaim = step.kind === "release" && !claimed.has(attemptId ?? "");
        return isComplete && hasNoClaim ? withoutClaim(step) : step;
      }),
      notes: commandNotes({
        topics: config.topics,
        coverage,
        sizes,
        isComplete,
        isCut: timeline.isTruncated(),
        isEnough: isEnough(),
        hasCommand: seen.command,
        sinceMs: near.sinceMs(),
      }),
      progress: {
        ...coverage.progress(),
        isComplete,
        sinceMs: coverage.displaySince(near.sinceMs()),
        problem: null,
      },
    }),
  };
};
