import { publishedEntry } from "./entry.ts";
import type { Deps } from "./ports.ts";
import { startStopwatch } from "../../runtime/stopwatch.ts";
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
  const seen = new Map<string, ReturnType<typeof startStopwatch>>();
  for (;;) {
    await view.untilReady(signal);
    const waiting = view.unpublished();
    const names = new Set(waiting.map(({ position }) => positionText(position)));
    for (const name of seen.keys()) if (!names.has(name)) seen.delete(name);
    for (const { ref, position, sinceMs } of waiting) {
      const name = positionText(position);
      const watch = seen.get(name) ?? startStopwatch(clock);
      seen.set(name, watch);
      if (Math.max(clock.now() - sinceMs, watch()) < afterMs) continue;
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
