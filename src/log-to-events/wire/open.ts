import { elected } from "../../kafka/consume/elected.ts";
import type { Period } from "../period.ts";
import { isAhead, MAX_BACK_MS, reconcileRepeatedly } from "../schedule.ts";
import { messageOf } from "../../runtime/errors.ts";
import { iso } from "../../runtime/instant.ts";
import { withCluster } from "../../kafka/cluster/with-cluster.ts";
import type { Subsystem } from "../../runtime/subsystem.ts";
import { electionGroup, lastNote, writeNote, type ReconcileNote } from "./note.ts";
import { reconcileRuns, type ReconcileDeps } from "./runs.ts";

export type ReconcileFlow = Subsystem & { isLeader: () => boolean };

export const openReconcile = (
  deps: ReconcileDeps,
  untilOpen: (signal: AbortSignal) => Promise<void>,
): ReconcileFlow => {
  const { services } = deps;
  const { config, clock, log, metrics } = services;

  let note: ReconcileNote = { completeAtMs: null, wholeAtMs: null };
  const showCompleteAt = (): void => {
    const { completeAtMs } = note;
    // An instant ahead of the clock would silence the alert on the last complete run.
    if (completeAtMs === null || isAhead(completeAtMs, clock.now())) metrics.reconcileCompleteAt.remove();
    else metrics.reconcileCompleteAt.set(Math.floor(completeAtMs / 1_000));
  };
  /** Changes the note and saves it in Kafka, but does not wait for that: a run counts even if it fails. */
  const changeNote = (changes: Partial<ReconcileNote>): void => {
    note = { ...note, ...changes };
    showCompleteAt();
    const text = writeNote(note);
    withCluster(services, async (cluster) => {
      // The commit stands at the end of the topic, so that tools which alert on a group's lag stay quiet.
      const end = (await cluster.ranges(config.topics.transactionStatus)).ranges.get(0)?.endOffset ?? 0;
      await election.saveNote({ offset: end, note: text });
    }).catch((error: unknown) => log.warn({ reason: messageOf(error) }, "reconcile.note.failed"));
  };

  const election = elected(
    {
      topic: config.topics.transactionStatus,
      groupId: electionGroup(config),
      sessionTimeoutMs: config.kafka.sessionTimeoutMs,
    },
    async ({ signal, isHeld }) => {
      // A run that does not know how far to look back may miss events: if this fails, the election tries again.
      note = await withCluster(services, (cluster) => lastNote(config, cluster));
      showCompleteAt();
      const { wholeAtMs } = note;
      const nowMs = clock.now();
      // Until a run is complete, later leaders look back as far as this one does.
      if (wholeAtMs === null) changeNote({ wholeAtMs: nowMs - config.reconcile.lookbackMs });
      else if (isAhead(wholeAtMs, nowMs)) changeNote({ wholeAtMs: nowMs - MAX_BACK_MS });

      const reconcile = reconcileRuns(deps, () => {
        if (!isHeld()) throw new Error("another replica may be the leader");
      });
      const run = async (period: Period): Promise<{ isWhole: boolean }> => {
        const startedAtMs = clock.monotonic();
        const report = await reconcile({ period, dryRun: false, force: false }, signal);
        const { result, reasons, isWhole, ...counts } = report;
        metrics.reconcileRuns.inc({ result });
        const { tooYoung, otherType, known, published, held, unreadable } = counts;
        const kinds = { known, published, held, unreadable, too_young: tooYoung, other_type: otherType };
        for (const [kind, count] of Object.entries(kinds))
          metrics.reconcileNotifications.inc({ kind }, count);
        // Notes the end of the period, not of the run: somebody may set the clock in between. An incomplete run notes
        // nothing new, because a later version may understand what it left behind; it still saves the note, because
        // the last attempt to do so may have failed.
        changeNote(result === "complete" ? { completeAtMs: clock.now(), wholeAtMs: period.toMs } : {});
        const ms = Math.round(clock.monotonic() - startedAtMs);
        const window = { from: iso(period.fromMs), to: iso(period.toMs), ms };
        const line = { ...counts, ...window, ...(reasons.length > 0 && { reasons }) };
        if (result === "complete") log.info(line, "reconcile.complete");
        else if (result === "incomplete") log.warn(line, "reconcile.incomplete");
        else if (result === "suspicious") log.error(line, "reconcile.suspicious");
        else log.warn(line, "reconcile.failed");
        return { isWhole };
      };
      await reconcileRepeatedly(config.reconcile, { clock, untilOpen, run }, wholeAtMs, signal);
    },
    services,
  );

  return {
    isLeader: election.isLeader,
    components: () => {
      const note = `${election.isLeader() ? "this" : "another"} replica is the leader`;
      return { reconcile: { health: election.health(), serves: null, note } };
    },
    waiting: () => ({}),
    close: election.stop,
  };
};
