import type { Clock } from "../../runtime/clock.ts";
import { positionText } from "../../runtime/record-position.ts";
import { startStopwatch, type Stopwatch } from "../../runtime/clock.ts";
import { concludedEntry, publishedEntry, type Entry } from "./entry.ts";
import type { Held } from "./partition-view.ts";
import type { Deps } from "./ports.ts";
import { acceptOwnerLost } from "./verdicts-without-answer.ts";

// What every replica looks for now and then: commands that nobody works on any more.

/** How long this process has known each of these names without a break. To be called with all of them each time. */
const createKnownFor = (clock: Clock) => {
  let watches = new Map<string, Stopwatch>();
  return (names: readonly string[]): ((name: string) => number) => {
    watches = new Map(names.map((name) => [name, watches.get(name) ?? startStopwatch(clock)]));
    return (name) => watches.get(name)?.() ?? 0;
  };
};

/**
 * Publishes final results that followed a doubt and are not known to be published `afterMs` later. Their
 * offsets are committed, so no replica will read the commands again. Runs until the signal aborts. Replicas
 * may do it at the same time: the bytes are the same.
 */
export const republish = async (
  deps: Pick<Deps, "clock" | "view" | "journal" | "publish" | "codec" | "observer">,
  { afterMs, everyMs, signal }: { afterMs: number; everyMs: number; signal: AbortSignal },
): Promise<void> => {
  const { clock, view, journal, publish, codec, observer } = deps;
  const knownFor = createKnownFor(clock);
  for (;;) {
    await view.untilReady(signal);
    const waiting = view.unpublished();
    const knownMs = knownFor(waiting.map(({ position }) => positionText(position)));
    for (const { ref, position, sinceMs } of waiting) {
      if (Math.max(clock.now() - sinceMs, knownMs(positionText(position))) < afterMs) continue;
      try {
        const step = (await journal.reread(position))?.step;
        if (step?.kind !== "concluded") continue;
        const { traceparent } = step;
        await publish(codec.decode(step.result), step.result, { traceparent, origin: null });
        await journal.append(ref.key, publishedEntry(ref, step.resultId));
      } catch (error) {
        observer.retrying("publish", error);
      }
    }
    await clock.sleep(everyMs, signal);
  }
};

type OrphanDeps = Pick<Deps, "clock" | "view" | "journal" | "codec" | "buildResult" | "observer"> & {
  options: Pick<Deps["options"], "takeoverMarginMs">;
  finalResultId: (commandId: string) => string;
};

const doubtEntry = async (deps: OrphanDeps, { ref, claim, position }: Held): Promise<Entry | null> => {
  const step = (await deps.journal.reread(position))?.step;
  if (step?.kind !== "claimed") return null;
  const { operation, commandId, key } = ref;
  const { attemptId, requestHash, receivedAt } = claim;
  const finalResultId = deps.finalResultId(commandId);
  const identity = { commandId, operation, quoteId: step.quoteId ?? key, externalId: null, finalResultId };
  const facts = { identity, receivedAt, completedAt: deps.clock.now(), attempts: claim.attempts + 1 };
  const result = deps.buildResult(facts, acceptOwnerLost);
  const value = deps.codec.encode(result);
  return concludedEntry(ref, result, {
    attemptId,
    requestHash,
    note: null,
    traceparent: null,
    result: value,
  });
};

/**
 * Concludes an accept IN_DOUBT whose claim nobody ends: its command became a dead letter before the claim came into
 * the log. The quote would stay held, with no doubt that a person can end. A replica that has the command takes over
 * `afterMs` earlier. Runs until the signal aborts; of several replicas' entries the first counts.
 */
export const doubtOrphans = async (
  deps: OrphanDeps,
  { afterMs, everyMs, signal }: { afterMs: number; everyMs: number; signal: AbortSignal },
): Promise<void> => {
  const { clock, view, journal, observer, options } = deps;
  const knownFor = createKnownFor(clock);
  for (;;) {
    await view.untilReady(signal);
    const held = view.held().filter(({ ref }) => ref.operation === "ACCEPT_QUOTE");
    const ageMs = knownFor(held.map(({ position }) => positionText(position)));
    for (const orphan of held) {
      const { claim, ref, position } = orphan;
      if (ageMs(positionText(position)) < claim.callWithinMs + options.takeoverMarginMs + afterMs) continue;
      try {
        const entry = await doubtEntry(deps, orphan);
        if (entry === null) continue;
        observer.takeover(ref, claim.attemptId);
        await journal.append(ref.key, entry);
      } catch (error) {
        observer.retrying("append", error);
      }
    }
    await clock.sleep(everyMs, signal);
  }
};
