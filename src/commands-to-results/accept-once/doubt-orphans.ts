import { positionText } from "../../runtime/record-position.ts";
import type { Entry } from "./entry.ts";
import { createKnownFor } from "./known-for.ts";
import type { Held } from "./partition-view.ts";
import type { Deps } from "./ports.ts";
import { acceptOwnerLost } from "./verdicts-without-answer.ts";

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
  const { outcome, resultId } = result;
  const said = { attemptId, requestHash, outcome, resultId, note: null, traceparent: null };
  return { operation, commandId, step: { kind: "concluded", ...said, result: deps.codec.encode(result) } };
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
