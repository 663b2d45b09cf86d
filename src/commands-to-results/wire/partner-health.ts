import type { Services } from "../../kafka/wire/services.ts";
import { partnerNote } from "../../kafka/wire/partner-note.ts";
import type { Partner } from "../../partner/client.ts";
import type { Call, Outcome } from "../../partner/types.ts";
import { sentenceOf, type PartnerFault, type PartnerHealth } from "../../runtime/health.ts";
import { missingFields } from "../../runtime/json-pointer.ts";
import type { Component } from "../../runtime/subsystem.ts";

/** What an outcome says is wrong with the partner; null where it answered as it should. */
const faultOf = (outcome: Outcome): PartnerFault | null => {
  if (outcome.kind === "unauthorized" || outcome.kind === "throttled") return outcome.kind;
  if (outcome.kind === "notSent") return "unreachable";
  if (outcome.kind !== "unknown") return null;
  if (outcome.answer === null) return "silent";
  return outcome.answer.httpStatus >= 500 ? "answers5xx" : null;
};

/** Calls that wait for their turn are in trouble only after this. */
const RATE_WAIT_MS = 5_000;

type WatchDeps = Pick<Services, "clock" | "log" | "metrics" | "config"> &
  Pick<Partner, "backlog"> & {
    /** Since when accepts wait for the end of a doubt; null while they do not. */
    doubtSinceMs: () => number | null;
  };

/** What the calls of this replica say of the partner, and what holds them back: its breaker, a doubt, or a rate used up. */
export const watchPartner = ({ clock, log, metrics, config, backlog, doubtSinceMs }: WatchDeps) => {
  let failing: Extract<PartnerHealth, { kind: "partnerFails" }> | null = null;
  let held: Extract<PartnerHealth, { kind: "acceptsHeld" }> | null = null;
  /** The log events of troubles that last. */
  const lasting = new Set<string>();

  const changeLogged = (event: string, state: string, trouble: PartnerHealth | null) => {
    const isNew = trouble !== null && !lasting.has(event);
    if (isNew) log.warn({ state, reason: sentenceOf(trouble) }, event);
    if (isNew) lasting.add(event);
    if (trouble === null && lasting.delete(event)) log.info({ state: "free" }, event);
    return trouble;
  };
  const rateTrouble = (): PartnerHealth | null => {
    const queue = backlog();
    const isLong = queue !== null && clock.now() - queue.sinceMs >= RATE_WAIT_MS;
    return changeLogged("partner.rate", "used up", isLong ? { kind: "rateUsedUp", ...queue } : null);
  };
  const doubtTrouble = (): PartnerHealth | null => {
    const sinceMs = doubtSinceMs();
    return changeLogged("accepts.doubt", "held", sinceMs === null ? null : { kind: "doubtOpen", sinceMs });
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
        const startedAt = clock.monotonic();
        // A call without time left, or that the bridge gave up or did not allow any more, says nothing of the partner.
        let isAllowed = options.withinMs > 0;
        const mayCall = (): boolean => (isAllowed = options.mayCall());
        const outcome = await call(request, { ...options, mayCall });
        const { operation } = request;
        const kind = outcome.kind === "notSent" && !isAllowed ? "notAllowed" : outcome.kind;
        metrics.partnerCalls.inc({ operation, outcome: kind });
        metrics.partnerSeconds.observe({ operation }, (clock.monotonic() - startedAt) / 1_000);
        if (outcome.kind === "executed")
          for (const field of missingFields(config.partner.resultFields, outcome.answer.fields ?? {}))
            metrics.fieldsMissing.inc({ kind: "result", field });
        if (isAllowed && !options.signal.aborted) learn(outcome);
        // While calls wait for their turn, others end.
        rateTrouble();
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
      const note = others.map(sentenceOf).join("; ");
      return { health: worst, serves: null, ...(note !== "" && { note }) };
    },
  };
};
