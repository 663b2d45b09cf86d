import { openJournal, type JournalRoom } from "../../commands-to-results/accept-once/journal/open.ts";
import { withCluster } from "../../kafka/cluster/with-cluster.ts";
import type { JournalDoubt } from "../../commands-to-results/accept-once/partition-view.ts";
import { resolvableAtMs } from "../../commands-to-results/accept-once/resolve.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import type { CommandResult } from "../../records.ts";
import { UsageError } from "../../runtime/errors.ts";
import { isApart, isUp, sentenceOf, type Health, type HealthKind } from "../../runtime/health.ts";
import { placeText } from "../../runtime/record-position.ts";
import { NothingDone } from "../actor.ts";
import {
  askNotes,
  inspectSchemas,
  type ToolServices,
  type OnProgress,
  type Progress,
} from "../tool-services.ts";
import { recordsIn } from "../read-topic.ts";
import { recentProposals, type Proposal } from "../resolve/proposal.ts";

/** Results that are read at once: entries that lie near each other come with one fetch. */
const READ_AT_ONCE = 200;
const RESULTS_TIMEOUT_MS = 60_000;
const READ_TIMEOUT_MS = 300_000;
const CURRENT_TIMEOUT_MS = 7_000;
const CHECK_EVERY_MS = 50;

/** No wait mends these: a person must. */
const NEEDS_PERSON: readonly HealthKind[] = ["lost", "halted"];

const unreadableText = (health: Health): string =>
  `Nobody knows what is in doubt: the journal ${sentenceOf(health)}.`;

/**
 * Resolves when the journal is read to the end that it had when it was opened, or all but partitions that nobody can
 * read now: then with the sentence that it warns with. Throws NothingDone, which says why, as soon as the journal can
 * only be read once a person has mended it.
 */
export const untilRead = (
  { clock, warn }: ToolServices,
  { view, health }: Pick<JournalRoom, "view" | "health">,
  stopped: AbortSignal,
  each: () => void = () => undefined,
): Promise<string | null> =>
  clock.withDeadline(READ_TIMEOUT_MS, stopped, async (signal) => {
    while (!view.ready()) {
      each();
      const state = health();
      // Partitions that are well again are waited for.
      if (state.kind === "unreadPartitions" && state.troubles.some(isApart)) {
        const lack = `the journal is ${sentenceOf(state)}`;
        warn(`Incomplete: ${lack}.`);
        return lack;
      }
      if (NEEDS_PERSON.includes(state.kind)) throw new NothingDone(unreadableText(state));
      await clock.sleep(CHECK_EVERY_MS, signal);
    }
    return null;
  });

const describe = (topic: string, doubt: JournalDoubt, result: CommandResult | null) => {
  const { ref, claim, position, sinceMs } = doubt;
  return {
    commandId: ref.commandId,
    operation: ref.operation,
    /** As the command spells it; null for a create. */
    quoteId: result?.quoteId ?? acceptedQuote(ref),
    externalId: result?.externalId ?? null,
    /** When the journal recorded the doubt, and the claim of its attempt. */
    sinceMs,
    claimedAtMs: claim.timestampMs,
    place: placeText(topic, position),
    /** Since when `resolve` needs no force. */
    resolvableAtMs: resolvableAtMs(claim),
    /** Calls that were sent to the partner, and what it answered last. */
    attempts: result?.attempts ?? claim.attempts + 1,
    httpStatus: result?.httpStatus ?? null,
    error: result?.error ?? null,
    response: result?.response ?? null,
    /** The transaction that the answer names. */
    transactionId: result?.transactionId ?? null,
    /** Tells the command from others that were sent under its commandId. */
    requestHash: claim.requestHash,
  };
};

const acceptedQuote = ({ operation, key }: JournalDoubt["ref"]): string | null =>
  operation === "ACCEPT_QUOTE" ? key : null;

/** In any spelling: a command's, or the journal's key, which an older version may have written by other rules. */
export const isSameQuote = (a: string | null, b: string | null): boolean =>
  a === null || b === null ? a === b : quoteKey(a) === quoteKey(b);

/** Those of these proposals that are about this doubt. */
export const proposalsOf = (
  { commandId, quoteId }: Pick<Doubt, "commandId" | "quoteId">,
  proposals: readonly Proposal[],
): Proposal[] =>
  proposals.filter(({ request }) => request.commandId === commandId && isSameQuote(request.quoteId, quoteId));

/** A command in doubt. What comes from its IN_DOUBT result is null where that cannot be read. */
export type Doubt = ReturnType<typeof describe>;

/** Reads doubts of this journal with what their IN_DOUBT results say. */
export const doubtReader = (services: ToolServices, { reread }: Pick<JournalRoom["journal"], "reread">) => {
  const decode = decoder<CommandResult>(readSchema("command-result"), services);
  return async (doubt: JournalDoubt): Promise<Doubt> => {
    const entry = await reread(doubt.position);
    // The journal may have begun anew meanwhile.
    const step = entry?.step;
    const isItsEnd = step?.kind === "concluded" && step.attemptId === doubt.claim.attemptId;
    const decoded = isItsEnd ? await decode(step.result) : null;
    return describe(services.config.topics.journal, doubt, decoded?.ok === true ? decoded.value : null);
  };
};

/**
 * Opens the journal, and follows it as a replica does until `close`. Writes nothing. Throws a UsageError where it is
 * missing.
 */
export const openDoubts = async (services: ToolServices) => {
  const { config, clock } = services;
  const topic = config.topics.journal;
  const schemaIdOf = await inspectSchemas(services, ["journal"]);
  const total = recordsIn((await withCluster(services, (cluster) => cluster.ranges(topic))).ranges);
  let read = 0;
  const room = await openJournal(services, schemaIdOf("command-journal-entry"), {
    askNotes: askNotes(services),
    see: () => (read += 1),
  });
  const { view, journal } = room;
  const progress = (): Progress => ({ read, total: Math.max(read, total) });

  const readDoubt = doubtReader(services, journal);
  const described = async (doubts: readonly JournalDoubt[], stopped: AbortSignal): Promise<Doubt[]> => {
    const all: Doubt[] = [];
    while (all.length < doubts.length) {
      const some = doubts.slice(all.length, all.length + READ_AT_ONCE);
      all.push(...(await clock.within(RESULTS_TIMEOUT_MS, stopped, Promise.all(some.map(readDoubt)))));
    }
    return all;
  };
  const oldestFirst = (): JournalDoubt[] => view.doubts().sort((a, b) => a.sinceMs - b.sinceMs);

  return {
    /** `problem`: why it cannot be read, as a sentence. */
    progress: () => {
      const health = room.health();
      const isComplete = view.ready();
      const isBeginning = health.kind === "starting" || health.kind === "reading";
      const fault = isComplete || isUp(health) || isBeginning ? null : sentenceOf(health);
      const isPartly = health.kind === "unreadPartitions";
      return { ...progress(), isComplete, isPartly, problem: view.halted() ? unreadableText(health) : fault };
    },
    /** `commands`: that the journal knows. `underWay`: claims without an end; their replicas may be gone. */
    numbers: () => {
      const counts = view.count();
      const doubts = oldestFirst();
      return {
        doubts: doubts.length,
        oldestSinceMs: doubts[0]?.sinceMs ?? null,
        underWay: counts.reduce((sum, { open }) => sum + open, 0) - doubts.length,
        commands: counts.reduce((sum, { commands }) => sum + commands, 0),
      };
    },
    /** The oldest first, of what is read by now. */
    list: (from: number, count: number, stopped: AbortSignal) =>
      described(oldestFirst().slice(from, from + count), stopped),
    find: (commandId: string, stopped: AbortSignal) =>
      described(
        oldestFirst().filter(({ ref }) => ref.commandId === commandId),
        stopped,
      ),
    /** Returns those of the proposals whose doubts are still open. */
    waiting: (proposals: readonly Proposal[]): Proposal[] => {
      const open = Map.groupBy(view.doubts(), ({ ref }) => ref.commandId);
      return proposals.filter(({ request: { commandId, quoteId } }) =>
        (open.get(commandId) ?? []).some(({ ref }) => isSameQuote(acceptedQuote(ref), quoteId)),
      );
    },
    /** Resolves when all is read that stands in the journal now. Rejects when that takes too long. */
    untilCurrent: (stopped: AbortSignal): Promise<void> =>
      clock.withDeadline(CURRENT_TIMEOUT_MS, stopped, async (signal) => {
        const { ranges } = await withCluster(services, (cluster) => cluster.ranges(topic));
        const isBehind = (): boolean =>
          [...ranges].some(([partition, { endOffset }]) => (view.nextOffset(partition) ?? 0) < endOffset);
        while (isBehind()) await clock.sleep(CHECK_EVERY_MS, signal);
      }),
    /** Waits as the function of that name does, and says how far it is. */
    untilRead: (stopped: AbortSignal, onProgress?: OnProgress) =>
      untilRead(services, room, stopped, () => onProgress?.(progress())),
    close: room.close,
  };
};

export type OpenDoubts = Awaited<ReturnType<typeof openDoubts>>;
export type DoubtNumbers = ReturnType<OpenDoubts["numbers"]>;

/**
 * Reads the journal as a replica does, and gives its doubts, the oldest first. With a `count` of 0 only the
 * numbers. Throws a UsageError where the journal is missing or cannot be read by this version.
 */
export const listDoubts = async (
  services: ToolServices,
  { count = Infinity, onProgress }: { count?: number; onProgress?: OnProgress },
  signal: AbortSignal,
) => {
  const opened = await openDoubts(services);
  try {
    await opened.untilRead(signal, onProgress);
    const doubts = await opened.list(0, count, signal);
    const { isComplete, isPartly } = opened.progress();
    if (!isComplete && !isPartly)
      throw new UsageError(`${services.config.topics.journal} began anew meanwhile: run it again.`);
    const recent = recentProposals(services, signal).catch((error: unknown): Proposal[] => {
      if (!(error instanceof UsageError)) throw error;
      services.warn(error.message);
      return [];
    });
    const proposals = opened.waiting(await recent);
    return { doubts, numbers: opened.numbers(), proposals };
  } finally {
    await opened.close();
  }
};

/** Returns the doubts of a command, or the one of this quote. Throws as listDoubts does. */
export const findDoubts = async (
  services: ToolServices,
  { commandId, quoteId }: { commandId: string; quoteId: string | null },
  signal: AbortSignal,
): Promise<Doubt[]> => {
  const opened = await openDoubts(services);
  try {
    await opened.untilRead(signal);
    const doubts = await opened.find(commandId, signal);
    return doubts.filter((doubt) => quoteId === null || isSameQuote(doubt.quoteId, quoteId));
  } finally {
    await opened.close();
  }
};
