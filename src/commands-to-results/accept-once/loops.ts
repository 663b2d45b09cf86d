import { positionText, type RecordPosition } from "../../runtime/record-position.ts";
import { startStopwatch, type Stopwatch } from "../../runtime/clock.ts";
import { buildResult } from "../build-result.ts";
import { concludedEntry, publishedEntry } from "./entry.ts";
import type { Held, Unpublished } from "./partition-view.ts";
import type { Deps } from "./ports.ts";
import { acceptOwnerLost } from "./verdicts-without-answer.ts";

// Every replica looks now and then for commands that nobody works on any more, and ends them. Replicas may do it at the
// same time: the first of several entries counts, and results have the same bytes.

type LoopDeps = Pick<Deps, "clock" | "view" | "journal" | "publish" | "codec" | "observer"> & {
  options: Pick<Deps["options"], "takeoverMarginMs">;
};
type Pace = { afterMs: number; everyMs: number; signal: AbortSignal };

/** Ends what `find` has found for longer than `patienceMs` says. Runs until the signal aborts. */
const endLeftovers = async <Leftover extends { position: RecordPosition }>(
  { clock, view, observer }: LoopDeps,
  { everyMs, signal }: Pace,
  what: {
    find: () => Leftover[];
    /** By the broker's clock; without it only the time for which this process knows it counts. */
    ageMs?: (leftover: Leftover) => number;
    patienceMs: (leftover: Leftover) => number;
    end: (leftover: Leftover) => Promise<void>;
  },
): Promise<void> => {
  /** How long this process has known each of them without a break. */
  let ages = new Map<string, Stopwatch>();
  /** The leftovers of a journal partition are ended one after the other: one that takes nothing delays no other. */
  const lastEndingOf = new Map<number, Promise<void>>();
  const ending = new Set<string>();
  for (;;) {
    await view.untilReady(signal);
    const earlierAges = ages;
    ages = new Map();
    for (const leftover of what.find()) {
      const place = positionText(leftover.position);
      const knownMs = earlierAges.get(place) ?? startStopwatch(clock);
      ages.set(place, knownMs);
      if (Math.max(knownMs(), what.ageMs?.(leftover) ?? 0) < what.patienceMs(leftover)) continue;
      if (ending.has(place)) continue;
      ending.add(place);
      const { partition } = leftover.position;
      const ended = (lastEndingOf.get(partition) ?? Promise.resolve()).then(async () => {
        if (!signal.aborted)
          await what.end(leftover).catch((error: unknown) => observer.retrying("append", error));
        ending.delete(place);
      });
      lastEndingOf.set(partition, ended);
    }
    await clock.sleep(everyMs, signal);
  }
};

/**
 * Publishes final results that followed a doubt and are not known to be published `afterMs` later. Their
 * offsets are committed, so no replica will read the commands again.
 */
export const republish = (deps: LoopDeps, pace: Pace): Promise<void> => {
  const { clock, view, journal, publish, codec } = deps;
  const end = async ({ ref, position }: Unpublished): Promise<void> => {
    const step = (await journal.reread(position))?.step;
    if (step?.kind !== "concluded") return;
    const { result, traceparent, resultId } = step;
    // If the commandId has its result under another key, this command became a dead letter: nothing is published.
    const elsewhere = view.finalElsewhere(ref);
    if (elsewhere === "waits") return;
    if (elsewhere === "none") await publish(codec.decode(result), result, { traceparent, origin: null });
    await journal.append(ref.key, publishedEntry(ref, resultId));
  };
  return endLeftovers(deps, pace, {
    find: view.unpublished,
    ageMs: ({ sinceMs }) => clock.now() - sinceMs,
    patienceMs: () => pace.afterMs,
    end,
  });
};

/**
 * Concludes an accept IN_DOUBT whose claim nobody ends: its command became a dead letter before the claim came into
 * the log. The quote would stay held, with no doubt that a person can end. A replica that has the command takes over
 * `afterMs` earlier.
 */
export const doubtOrphans = (deps: LoopDeps, pace: Pace): Promise<void> => {
  const { clock, view, journal, codec, observer, options } = deps;
  const end = async ({ ref, claim, position }: Held): Promise<void> => {
    const step = (await journal.reread(position))?.step;
    if (step?.kind !== "claimed") return;
    const { operation, commandId, key } = ref;
    const { attemptId, requestHash, receivedAt, attempts } = claim;
    const identity = { commandId, operation, quoteId: step.quoteId ?? key, externalId: null };
    const facts = { identity, receivedAt, completedAt: clock.now(), attempts: attempts + 1 };
    const doubtResult = buildResult(facts, acceptOwnerLost);
    const conclusion = {
      attemptId,
      requestHash,
      note: null,
      traceparent: null,
      result: codec.encode(doubtResult),
    };
    observer.takeover(ref, attemptId);
    await journal.append(key, concludedEntry(ref, doubtResult, conclusion));
  };
  return endLeftovers(deps, pace, {
    find: () => view.held().filter(({ ref }) => ref.operation === "ACCEPT_QUOTE"),
    patienceMs: ({ claim }) => claim.callWithinMs + options.takeoverMarginMs + pace.afterMs,
    end,
  });
};
