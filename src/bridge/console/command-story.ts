import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { CommandStory, Step } from "../../console/ports.ts";
import type { Incoming } from "../../kafka/record.ts";
import { newPartitioner } from "../../kafka/produce/partitioner.ts";
import type { ReadRecord, Said } from "./command-records.ts";
import { commandNotes } from "./command-notes.ts";
import { unreadableStep, withoutClaim } from "./command-steps.ts";
import { createCoverage, type Partitions, type ReadDeps } from "./coverage.ts";
import { rangesOf } from "./ranges.ts";
import type { Search } from "./searches.ts";
import { createShelf } from "./shelf.ts";
import { windowReader, windowsFrom } from "./windows.ts";

type Records = Readonly<Record<"command" | "journal" | "result" | "letter", ReadRecord>>;

/** A command names one quote. Whoever uses its id for many is not followed to all of them. */
const MAX_QUOTES = 10;

const lengthOf = ({ title, facts, payload }: Step): number =>
  title.length + (payload?.length ?? 0) + facts.reduce((sum, fact) => sum + fact.join("").length, 0);

/**
 * Looks for everything that the topics say of a command: first in the partitions of its id and of its quote, then, where its record was not found
 * there, in all others of the commands, the journal and the dead letters.
 */
export const commandSearch = (
  deps: ReadDeps & { records: Records },
  commandId: string,
  sinceMs: number | null,
): Search<CommandStory> => {
  const { config, services, cluster, records } = deps;
  const { commands, journal, results, deadLetters } = config.topics;
  const id = Buffer.from(commandId);
  const choose = newPartitioner();
  const shelf = createShelf<Said>();
  const quotes = new Set<string>();
  const claimed = new Set<string>();
  const seen = { command: false, claim: false, final: false, calls: 0 };
  let sizes: ReadonlyMap<string, number> = new Map();
  let isComplete = false;

  /** In the order in which a command gets there. */
  const readers = new Map([
    [commands, records.command],
    [journal, records.journal],
    [results, records.result],
    [deadLetters, records.letter],
  ]);
  const ranks = [...readers.keys()];
  const learn = ({ step, quoteId, attemptId, isFinal, calls }: Said): void => {
    if (quoteId !== null && quotes.size < MAX_QUOTES) quotes.add(quoteId);
    if (step.kind === "claim" && attemptId !== null) claimed.add(attemptId);
    seen.command ||= step.kind === "command";
    seen.claim ||= step.kind === "claim";
    seen.final ||= isFinal;
    seen.calls = Math.max(seen.calls, calls);
  };
  const unreadable = (record: Incoming): Said => ({
    ...{ step: unreadableStep(record), commandId, quoteId: null },
    ...{ attemptId: null, isFinal: false, calls: 0 },
  });
  const note = async (record: Incoming, read: ReadRecord): Promise<void> => {
    const said = (await read(record)) ?? (record.key?.equals(id) === true ? unreadable(record) : null);
    if (said?.commandId !== commandId) return;
    learn(said);
    const { atMs, place } = said.step;
    shelf.put({ atMs, rank: ranks.indexOf(place.topic), place, length: lengthOf(said.step), value: said });
  };
  const take = (record: Incoming): void | Promise<void> => {
    const { key, value, topic } = record;
    const read = readers.get(topic);
    // Bytes are compared first: of a million records hardly one is decoded.
    if (read && (value?.includes(id) === true || key?.equals(id) === true)) return note(record, read);
  };
  const coverage = createCoverage(deps, take);

  const partitionOf = (topic: string, key: string): number => choose(Buffer.from(key), sizes.get(topic) ?? 1);
  /** Where records are that have the command's id or its quote for a key. */
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
  /** The journal is known where the quote is. */
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
  /** With a time to begin at, all from then on is wanted. */
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
    story: () => ({
      commandId,
      steps: shelf.all().map(({ value: { step, attemptId } }) => {
        const isOfNobody = step.kind === "release" && !claimed.has(attemptId ?? "");
        return isComplete && isOfNobody ? withoutClaim(step) : step;
      }),
      notes: commandNotes({
        topics: config.topics,
        ...{ coverage, sizes, isComplete, isCut: shelf.isCut(), isEnough: isEnough() },
        ...{ hasCommand: seen.command, sinceMs: near.sinceMs() },
      }),
      progress: {
        ...coverage.progress(),
        isComplete,
        sinceMs: coverage.reach(near.sinceMs()),
        problem: null,
      },
    }),
  };
};
