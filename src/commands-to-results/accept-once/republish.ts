import { publishedEntry } from "./entry.ts";
import { createKnownFor } from "./known-for.ts";
import type { Deps } from "./ports.ts";
import { positionText } from "../../runtime/record-position.ts";

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
