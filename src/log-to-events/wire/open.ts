import type { Config } from "../../config/config.ts";
import { elected } from "../../kafka/consume/elected.ts";
import type { Report } from "../flow.ts";
import type { Period } from "../period.ts";
import { reconcileRepeatedly } from "../schedule.ts";
import type { Metrics } from "../../ops/metrics.ts";
import { messageOf } from "../../runtime/errors.ts";
import { iso } from "../../runtime/instant.ts";
import type { Log } from "../../runtime/log.ts";
import { withCluster } from "../../services/with-cluster.ts";
import type { Subsystem } from "../../services/subsystem.ts";
import { completeAt, electionGroup, lastNote, writeNote, type ReconcileNote } from "./note.ts";
import { reconcileRuns, type ReconcileDeps } from "./runs.ts";

const logReport = (log: Log, report: Report, { fromMs, toMs }: Period, ms: number): void => {
  const { result, reasons, entries, known, published, held, tooYoung, unreadable, otherType } = report;
  const counts = { entries, known, published, held, tooYoung, unreadable, otherType };
  const when = { from: iso(fromMs), to: iso(toMs), ms: Math.round(ms) };
  const line = { ...counts, ...when, ...(reasons.length > 0 && { reasons }) };
  if (result === "complete") log.info(line, "reconcile.complete");
  else if (result === "incomplete") log.warn(line, "reconcile.incomplete");
  else if (result === "suspicious") log.error(line, "reconcile.suspicious");
  else log.warn(line, "reconcile.failed");
};

export type ReconcileFlow = Subsystem & {
  isLeader: () => boolean;
  /** Stops the run under way, and leaves the election group. */
  stop: () => Promise<void>;
};

/** Starts the reconcile flow: publishes what webhooks missed, on one elected replica at a time. */
export const openReconcile = (
  config: Config,
  {
    metrics,
    untilOpen,
    ...deps
  }: ReconcileDeps & { metrics: Metrics; untilOpen: (signal: AbortSignal) => Promise<void> },
): ReconcileFlow => {
  const { services } = deps;
  const { clock, log } = services;

  /** As it is in Kafka, for later leaders and for the console. */
  let note: ReconcileNote = { completeAtMs: null, wholeAtMs: null };

  /** Without waiting: a run counts even if this fails. */
  const keep = (changed: Partial<ReconcileNote>): void => {
    note = { ...note, ...changed };
    withCluster(services, async (cluster) => {
      // At the end of the topic, so that tools which alert on a group's lag stay quiet.
      const end = (await cluster.ranges(config.topics.transactionStatus)).get(0)?.endOffset ?? 0;
      await election.saveNote({ offset: end, note: writeNote(note) });
    }).catch((error: unknown) => log.warn({ reason: messageOf(error) }, "reconcile.note.failed"));
  };

  const show = (shown: ReconcileNote): void => {
    const at = completeAt(shown, clock.now());
    if (at === null) metrics.reconcileCompleteAt.remove();
    else metrics.reconcileCompleteAt.set(Math.floor(at / 1_000));
  };

  const ended = (report: Report, period: Period, ms: number): void => {
    metrics.reconcileRuns.inc({ result: report.result });
    const { known, published, held, tooYoung: too_young, unreadable, otherType: other_type } = report;
    for (const [kind, count] of Object.entries({ known, published, held, too_young, unreadable, other_type }))
      metrics.reconcileNotifications.inc({ kind }, count);
    const completeAtMs = report.result === "complete" ? clock.now() : note.completeAtMs;
    show({ ...note, completeAtMs });
    if (report.isWhole) keep({ completeAtMs, wholeAtMs: period.toMs });
    logReport(log, report, period, ms);
  };

  const leftOut = ({ fromMs, toMs }: Period): void =>
    log.error({ from: iso(fromMs), to: iso(toMs) }, "reconcile.gap");

  const election = elected(
    {
      topic: config.topics.transactionStatus,
      groupId: electionGroup(config),
      sessionTimeoutMs: config.kafka.sessionTimeoutMs,
    },
    async ({ signal, isHeld }) => {
      // If it fails, the election tries again: a run that does not know how far to look back may miss events.
      note = await withCluster(services, (cluster) => lastNote(config, cluster));
      show(note);
      const notedAt = note.wholeAtMs;
      // Without a complete run, a later leader looks back as far as this one does.
      if (notedAt === null) keep({ wholeAtMs: clock.now() - config.reconcile.lookbackMs });
      const run = reconcileRuns(config, deps, {
        mayPublish: () => {
          if (!isHeld()) throw new Error("another replica may be the leader");
        },
        published: ({ eventId, transactionId, status, outOfOrder }) =>
          log.info({ eventId, transactionId, status, outOfOrder }, "reconcile.published"),
      });
      const ports = { clock, untilOpen, ended, leftOut };
      await reconcileRepeatedly(config.reconcile, run, ports, notedAt, signal);
    },
    services,
  );

  return {
    isLeader: election.isLeader,
    components: () => ({ reconcile: { ...election.state(), required: false } }),
    waiting: () => ({}),
    stop: election.stop,
    close: election.stop,
  };
};
