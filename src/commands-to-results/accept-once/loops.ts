import { positionText, type RecordPosition } from "../../runtime/record-position.ts";
import { startStopwatch, type Stopwatch } from "../../runtime/clock.ts";
import { buildResult } from "../build-result.ts";
import { appendConclusion } from "./kafka-retry.ts";
import type { Deps } from "./ports.ts";
import { publishFinal, readResult } from "./publish-result.ts";
import { acceptOwnerLost } from "./verdicts-without-answer.ts";

/** Something that nobody works on any more. `ageMs`: since its LogAppendTime; 0 where only this replica's watch counts. */
type Leftover = {
  position: RecordPosition;
  ageMs: number;
  patienceMs: number;
  end: () => Promise<unknown>;
};
type Pace = { afterMs: number; everyMs: number; signal: AbortSignal };

/** Final results that followed a doubt: no replica will read their commands again, whose offsets are committed. */
const unpublishedResults = (deps: Deps, { afterMs }: Pace): Leftover[] => {
  const { clock, view } = deps;
  return view.unpublished().map(({ ref, position, sinceMs }) => ({
    position,
    ageMs: clock.now() - sinceMs,
    patienceMs: afterMs,
    end: async () => {
      const stored = await readResult(deps, ref, position);
      if (stored) await publishFinal(deps, ref, stored, view.finalElsewhere(ref));
    },
  }));
};

/** Claims that came after their commands became dead letters: the quote would stay held, without a doubt to end. */
const orphanedClaims = (deps: Deps, { afterMs, signal }: Pace): Leftover[] => {
  const { clock, view, journal, observer, options } = deps;
  const accepts = view.held().filter(({ ref }) => ref.operation === "ACCEPT_QUOTE");
  return accepts.map(({ ref, claim, position }) => ({
    position,
    ageMs: 0,
    patienceMs: claim.callWithinMs + options.takeoverMarginMs + afterMs,
    end: async () => {
      const step = (await journal.reread(position))?.step;
      if (step?.kind !== "claimed") return;
      const { operation, commandId, key } = ref;
      const { attemptId, requestHash, receivedAt, attempts } = claim;
      const identity = { commandId, operation, quoteId: step.quoteId ?? key, externalId: null };
      const facts = { identity, receivedAt, completedAt: clock.now(), attempts: attempts + 1 };
      const about = { attemptId, requestHash, note: null, traceparent: null };
      observer.takeover(ref, attemptId);
      await appendConclusion({ deps }, ref, about, buildResult(facts, acceptOwnerLost), signal);
    },
  }));
};

const endAll = async (
  { clock, view, observer }: Deps,
  { everyMs, signal }: Pace,
  find: () => Leftover[],
): Promise<void> => {
  let ages = new Map<string, Stopwatch>();
  const busyPartitions = new Set<number>();
  /** One after the other in a partition of the journal: one that takes nothing delays no other. */
  const endInTurn = async (partition: number, leftovers: readonly Leftover[]): Promise<void> => {
    if (busyPartitions.has(partition)) return;
    busyPartitions.add(partition);
    for (const { end } of leftovers)
      if (!signal.aborted) await end().catch((error: unknown) => observer.retrying("append", error));
    busyPartitions.delete(partition);
  };
  for (;;) {
    await view.untilReady(signal);
    const leftovers = find().map((leftover) => {
      const place = positionText(leftover.position);
      return { ...leftover, place, knownMs: ages.get(place) ?? startStopwatch(clock) };
    });
    ages = new Map(leftovers.map(({ place, knownMs }) => [place, knownMs]));
    const due = leftovers.filter(
      ({ knownMs, ageMs, patienceMs }) => Math.max(knownMs(), ageMs) >= patienceMs,
    );
    for (const [partition, group] of Map.groupBy(due, ({ position }) => position.partition))
      void endInTurn(partition, group);
    await clock.sleep(everyMs, signal);
  }
};

/** Every replica ends leftovers, several maybe the same one: the first entry counts, results have the same bytes. */
export const endLeftovers = (deps: Deps, pace: Pace): Promise<unknown> =>
  Promise.all([unpublishedResults, orphanedClaims].map((find) => endAll(deps, pace, () => find(deps, pace))));
