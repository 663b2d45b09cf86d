import { openJournal, type JournalRoom } from "../../commands-to-results/accept-once/journal/open.ts";
import type { JournalRecord } from "../../commands-to-results/accept-once/entry.ts";
import type { JournalDoubt } from "../../commands-to-results/accept-once/partition-view.ts";
import { resolvableAtMs } from "../../commands-to-results/accept-once/resolve.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import { withCluster } from "../../kafka/cluster/with-cluster.ts";
import type { CommandResult } from "../../records.ts";
import { isApart, isUp, sentenceOf, type HealthKind } from "../../runtime/health.ts";
import { placeText } from "../../runtime/record-position.ts";
import { NothingDone } from "../actor.ts";
import { askOrWarn, valueReader } from "../read-topic.ts";
import { inspectTopics, type Tools, type Progress } from "../tools.ts";
import { recentProposals, type Proposal } from "../resolve/proposal.ts";

const READ_TIMEOUT_MS = 300_000;
const CURRENT_TIMEOUT_MS = 7_000;
const CHECK_EVERY_MS = 50;

/** Waiting does not mend these: a person must. */
const NEEDS_PERSON: readonly HealthKind[] = ["lost", "halted"];

/** Gives the sentence on partitions that nobody can read. Throws NothingDone where a person must mend the journal. */
export const untilRead = (
  { clock, warn, stopped }: Pick<Tools, "clock" | "warn" | "stopped">,
  { view, health }: Pick<JournalRoom, "view" | "health">,
  onWait?: () => void,
): Promise<string | null> =>
  clock.withDeadline(READ_TIMEOUT_MS, stopped, async (signal) => {
    while (!view.ready()) {
      onWait?.();
      const state = health();
      // Partitions that are well again are waited for.
      if (state.kind === "unreadPartitions" && state.troubles.some(isApart)) {
        const lack = `the journal is ${sentenceOf(state)}`;
        warn(`Incomplete: ${lack}.`);
        return lack;
      }
      if (NEEDS_PERSON.includes(state.kind))
        throw new NothingDone(`Nobody knows what is in doubt: the journal ${sentenceOf(state)}.`);
      await clock.sleep(CHECK_EVERY_MS, signal);
    }
    return null;
  });

/** Only accepts are ever in doubt: their key in the journal is the quote. */
const describe = (topic: string, doubt: JournalDoubt, result: CommandResult | null) => {
  const { ref, claim, position, sinceMs } = doubt;
  return {
    commandId: ref.commandId,
    operation: ref.operation,
    /** The command's own spelling, or the journal's key where its result cannot be read. */
    quoteId: result?.quoteId ?? ref.key,
    externalId: result?.externalId ?? null,
    sinceMs,
    claimedAtMs: claim.timestampMs,
    place: placeText(topic, position),
    resolvableAtMs: resolvableAtMs(claim),
    attempts: result?.attempts ?? claim.attempts + 1,
    httpStatus: result?.httpStatus ?? null,
    error: result?.error ?? null,
    response: result?.response ?? null,
    transactionId: result?.transactionId ?? null,
    /** Tells the command from others that were sent under its commandId. */
    requestHash: claim.requestHash,
  };
};

/** A command in doubt. What comes from its IN_DOUBT result is null where that cannot be read. */
export type Doubt = ReturnType<typeof describe>;

/** In any spelling: a command's, or the journal's key, which an older version may have written by other rules. */
export const isSameQuote = (a: string, b: string): boolean => quoteKey(a) === quoteKey(b);

type DoubtName = { commandId: string; quoteId: string | null };

const isNamed = (doubt: { commandId: string; quoteId: string }, { commandId, quoteId }: DoubtName): boolean =>
  doubt.commandId === commandId && (quoteId === null || isSameQuote(doubt.quoteId, quoteId));

export const proposalsOf = (doubt: Doubt, proposals: readonly Proposal[]): Proposal[] =>
  proposals.filter(({ request }) => isNamed(doubt, request));

/** Follows the journal as a replica does until `close`. Throws a UsageError where it is missing. */
export const openDoubts = async (tools: Tools, see?: (record: JournalRecord) => void) => {
  const { config, clock, stopped } = tools;
  const { journal: topic, commands } = config.topics;
  const schemaIdOf = await inspectTopics(tools, ["journal"]);
  let read = 0;
  const room = await openJournal(tools, schemaIdOf("command-journal-entry"), {
    // These notes tell a journal that was created anew. A user who may not read them goes on without.
    askNotes: (cluster) =>
      cluster.committed(config.kafka.groupId, commands).then(
        (commits) => [...commits.values()].map(({ note }) => note),
        () => [],
      ),
    see: (record) => {
      read += 1;
      see?.(record);
    },
  });
  const { view, journal } = room;
  const readResult = valueReader<CommandResult>(tools, "command-result");
  const progress = (): Progress => ({ read, total: read + (view.left() ?? 0) });
  const oldestFirst = (): JournalDoubt[] => view.doubts().sort((a, b) => a.sinceMs - b.sinceMs);
  const isOf = ({ ref }: JournalDoubt, name: DoubtName): boolean =>
    isNamed({ commandId: ref.commandId, quoteId: ref.key }, name);
  const doubtsNamed = (name: DoubtName): JournalDoubt[] => oldestFirst().filter((doubt) => isOf(doubt, name));

  const describeAll = async (doubts: readonly JournalDoubt[]): Promise<Doubt[]> => {
    const all: Doubt[] = [];
    for (const doubt of doubts) {
      stopped.throwIfAborted();
      const step = (await journal.reread(doubt.position))?.step;
      // The journal may have begun anew meanwhile.
      const isItsEnd = step?.kind === "concluded" && step.attemptId === doubt.claim.attemptId;
      all.push(describe(topic, doubt, isItsEnd ? await readResult(step.result) : null));
    }
    return all;
  };

  return {
    ...room,
    /** `problem`: why it cannot be read, as a sentence. */
    progress: () => {
      const health = room.health();
      const isComplete = view.ready();
      const isGoingOn = isComplete || isUp(health) || health.kind === "starting" || health.kind === "reading";
      return { ...progress(), isComplete, problem: isGoingOn ? null : sentenceOf(health) };
    },
    /** `commands`: those that the journal knows. `underWay`: claims without an end; their replicas may be gone. */
    numbers: () => {
      const counts = view.count();
      const doubts = oldestFirst();
      return {
        doubts: doubts.length,
        oldestSinceMs: doubts[0]?.sinceMs ?? null,
        underWay: counts.reduce((sum, { open }) => sum + open, 0) - doubts.length,
        commands: counts.reduce((sum, { commands: known }) => sum + known, 0),
      };
    },
    /** Lists the doubts that are read by now: first those with one of these proposals, then the oldest. */
    list: (count: number, proposals: readonly Proposal[] = []) => {
      const isProposed = (doubt: JournalDoubt): boolean =>
        proposals.some(({ request }) => isOf(doubt, request));
      const ordered = oldestFirst().sort((a, b) => Number(isProposed(b)) - Number(isProposed(a)));
      return describeAll(ordered.slice(0, count));
    },
    find: (name: DoubtName) => describeAll(doubtsNamed(name)),
    waiting: (proposals: readonly Proposal[]): Proposal[] =>
      proposals.filter(({ request }) => doubtsNamed(request).length > 0),
    /** Resolves when all is read that stands in the journal now. Rejects when that takes too long. */
    untilCurrent: (): Promise<void> =>
      clock.withDeadline(CURRENT_TIMEOUT_MS, stopped, async (signal) => {
        const { ranges } = await withCluster(tools, (cluster) => cluster.ranges(topic));
        const isBehind = (): boolean =>
          [...ranges].some(([partition, { endOffset }]) => (view.nextOffset(partition) ?? 0) < endOffset);
        while (isBehind()) await clock.sleep(CHECK_EVERY_MS, signal);
      }),
    untilRead: () =>
      untilRead(tools, room, () => {
        if (view.left() !== null) tools.onProgress(progress());
      }),
  };
};

export type OpenDoubts = Awaited<ReturnType<typeof openDoubts>>;
export type DoubtNumbers = ReturnType<OpenDoubts["numbers"]>;

const withReadDoubts = async <T>(tools: Tools, ask: (opened: OpenDoubts) => Promise<T>): Promise<T> => {
  const opened = await openDoubts(tools);
  try {
    await opened.untilRead();
    return await ask(opened);
  } finally {
    await opened.close();
  }
};

/** Gives the doubts, the oldest first. Throws a UsageError where the journal is missing, or this version cannot read it. */
export const listDoubts = (tools: Tools, count = Infinity) =>
  withReadDoubts(tools, async (opened) => {
    const doubts = await opened.list(count);
    const recent = await askOrWarn(tools, recentProposals(tools), []);
    return { doubts, numbers: opened.numbers(), proposals: opened.waiting(recent) };
  });

export const findDoubts = (tools: Tools, name: DoubtName): Promise<Doubt[]> =>
  withReadDoubts(tools, (opened) => opened.find(name));
