import type { Clock } from "../../runtime/clock.ts";
import type { Html } from "../html/markup.ts";
import { TOKEN_MS, type RequestId } from "./tokens.ts";

/**
 * The outcome of a form: a page of its own, or a redirect. `wait`: a second operator is needed; `warn`: not done,
 * or not known; null: neutral, such as a plan.
 */
export type Outcome =
  | { kind: "shown"; tone: "good" | "wait" | "warn" | null; title: string; show: () => Html }
  | { kind: "elsewhere"; location: string };

/** A form that was sent. `outcome`: null while the action is under way. */
export type KnownRequest = { by: string; digest: string; outcome: Outcome | null; done: Promise<Outcome> };

const MAX_KNOWN = 1_000;

/** Remembers the outcomes of forms, so that a form that is sent twice acts once. `act` must not reject. */
export const createOutcomes = (clock: Pick<Clock, "monotonic">) => {
  const known = new Map<string, KnownRequest & { expiresAtMs: number; forgetAtMs: number }>();
  /** Forms that expire by then may have been forgotten: none of them acts any more. */
  let closedUntilMs = 0;

  const forget = (): void => {
    const nowMs = clock.monotonic();
    for (const [id, { forgetAtMs, expiresAtMs }] of known) {
      if (forgetAtMs > nowMs && known.size < MAX_KNOWN) break;
      if (expiresAtMs > nowMs) closedUntilMs = Math.max(closedUntilMs, expiresAtMs);
      known.delete(id);
    }
  };

  return {
    /** Acts, unless this form was acted on already. Null: too old to know that, so nothing is done. */
    once: (
      { id, expiresAtMs }: RequestId,
      { by, digest }: { by: string; digest: string },
      act: () => Promise<Outcome>,
    ): KnownRequest | null => {
      const before = known.get(id);
      if (before) return before;
      if (expiresAtMs <= closedUntilMs) return null;
      forget();
      const done = act();
      const entry = {
        by,
        digest,
        outcome: null as Outcome | null,
        done,
        expiresAtMs,
        forgetAtMs: clock.monotonic() + TOKEN_MS,
      };
      known.set(id, entry);
      void done.then((outcome) => (entry.outcome = outcome));
      return entry;
    },
    get: (id: string): KnownRequest | null => known.get(id) ?? null,
  };
};

export type Outcomes = ReturnType<typeof createOutcomes>;
