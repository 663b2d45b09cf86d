import type { Backlog, Call, Outcome } from "../../partner/types.ts";
import type { Clock } from "../../runtime/clock.ts";
import { sentenceOf, type PartnerFault, type PartnerHealth } from "../../runtime/health.ts";
import type { Log } from "../../runtime/log.ts";
import type { Component } from "../../runtime/subsystem.ts";
import { partnerNote } from "../../kafka/wire/partner-note.ts";

/** What an outcome says is wrong with the partner; null where it answered as it should. */
const faultOf = (outcome: Outcome): PartnerFault | null => {
  if (outcome.kind === "unauthorized" || outcome.kind === "throttled") return outcome.kind;
  if (outcome.kind === "notSent") return "unreachable";
  if (outcome.kind !== "unknown") return null;
  if (outcome.answer === null) return "silent";
  return outcome.answer.httpStatus >= 500 ? "answers5xx" : null;
};

/** Calls that had their turn sooner were not held back. */
const RATE_WAIT_MS = 5_000;

/** What the calls of this replica say of the partner, and what holds them back: its breaker, a doubt, or a rate used up. */
export const watchPartner = ({
  clock,
  log,
  backlog,
  doubtSinceMs,
}: {
  clock: Clock;
  log: Log;
  backlog: () => Backlog | null;
  /** Since when accepts wait for the end of a doubt; null while they do not. */
  doubtSinceMs: () => number | null;
}) => {
  let failing: Extract<PartnerHealth, { kind: "partnerFails" }> | null = null;
  let held: Extract<PartnerHealth, { kind: "acceptsHeld" }> | null = null;
  let isRateUsedUp = false;
  let isDoubtOpen = false;

  const rateTrouble = (): PartnerHealth | null => {
    const queue = backlog();
    return queue && clock.now() - queue.sinceMs >= RATE_WAIT_MS ? { kind: "rateUsedUp", ...queue } : null;
  };
  /** Called after each call: while calls wait for their turn, others end. */
  const learnRate = (): void => {
    const trouble = rateTrouble();
    if (isRateUsedUp === (trouble !== null)) return;
    isRateUsedUp = trouble !== null;
    if (trouble) log.warn({ state: "used up", reason: sentenceOf(trouble) }, "partner.rate");
    else log.info({ state: "free" }, "partner.rate");
  };
  /** Called with each look: another replica's doubt comes without a call. */
  const doubtTrouble = (): PartnerHealth | null => {
    const sinceMs = doubtSinceMs();
    const trouble: PartnerHealth | null = sinceMs === null ? null : { kind: "doubtOpen", sinceMs };
    if (isDoubtOpen !== (trouble !== null)) {
      isDoubtOpen = trouble !== null;
      if (trouble) log.warn({ state: "held", reason: sentenceOf(trouble) }, "accepts.doubt");
      else log.info({ state: "free" }, "accepts.doubt");
    }
    return trouble;
  };
  /** The worst first. A breaker that holds accepts says why the partner fails. */
  const troubles = (): PartnerHealth[] =>
    [doubtTrouble(), held ?? failing, rateTrouble()].filter((trouble) => trouble !== null);

  const learn = (outcome: Outcome): void => {
    const why = faultOf(outcome);
    const before = failing;
    if (why === null) failing = null;
    else {
      const retryAfterMs = outcome.kind === "throttled" ? outcome.answer.retryAfterMs : null;
      const untilMs = retryAfterMs === null ? null : clock.now() + retryAfterMs;
      failing = { kind: "partnerFails", why, sinceMs: before?.sinceMs ?? clock.now(), untilMs };
    }
    if (before?.why === failing?.why) return;
    if (failing) log.warn({ reason: sentenceOf(failing) }, "partner.failing");
    else log.info({}, "partner.well");
  };

  return {
    watched:
      (call: Call): Call =>
      async (request, options) => {
        // A call that the bridge itself gave up, or had no time for, says nothing of the partner.
        let isAllowed = options.withinMs > 0;
        const mayCall = (): boolean => (isAllowed = options.mayCall());
        const outcome = await call(request, { ...options, mayCall });
        if (isAllowed && !options.signal.aborted) learn(outcome);
        learnRate();
        return outcome;
      },
    breaker: (state: "open" | "closed", pauseMs: number): void => {
      const { why = "silent" } = failing ?? {};
      const sinceMs = held?.sinceMs ?? clock.now();
      held =
        state === "closed" ? null : { kind: "acceptsHeld", why, sinceMs, untilMs: clock.now() + pauseMs };
      log.warn({ state, ...(held && { reason: sentenceOf(held) }) }, "partner.breaker");
    },
    /** Adds what is wrong to a note for the group's commits. A null stays null: then nothing is committed. */
    noteAfter: (note: string | null): string | null =>
      note === null ? null : [note, ...troubles().map(partnerNote)].join(" ").trim(),
    component: (): Component => {
      const [worst = { kind: "up" } as const, ...others] = troubles();
      return {
        health: worst,
        serves: null,
        ...(others.length > 0 && { note: others.map(sentenceOf).join("; ") }),
      };
    },
  };
};
