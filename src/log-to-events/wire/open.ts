import type { Config } from "../../config/config.ts";
import { elected } from "../../kafka/consume/elected.ts";
import { scan, type TakeRecord } from "../../kafka/consume/scan.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import { logToEvents, type LogPorts, type Reconcile, type Report } from "../flow.ts";
import type { Period } from "../period.ts";
import { reconcileRepeatedly } from "../schedule.ts";
import type { Metrics } from "../../ops/metrics.ts";
import type { Partner } from "../../partner/client.ts";
import type { TransactionStatusUpdated } from "../../records.ts";
import { messageOf } from "../../runtime/errors.ts";
import { whenKnown } from "../../runtime/when-known.ts";
import { iso } from "../../runtime/instant.ts";
import type { Log } from "../../runtime/log.ts";
import type { Events } from "../../notification/wire/events.ts";
import type { Services } from "../../services/services.ts";
import { withCluster } from "../../services/with-cluster.ts";
import type { Subsystem } from "../../services/subsystem.ts";
import { completeAt, electionGroup, lastNote, writeNote, type ReconcileNote } from "./note.ts";
import { tracedRuns } from "./span.ts";

/** An entry holds a notification, maybe as an escaped string, and metadata. Larger ones would block other work. */
const MIN_MAX_ENTRY_BYTES = 262_144;
const RANGES_MS = 10_000;
/** Concurrent publications. Few, because webhooks wait in the same queue. */
const MAX_LANES = 8;

export type ReconcileDeps = {
  services: Services;
  events: Pick<Events, "publishOnce" | "window">;
  partner: Pick<Partner, "fetchLog" | "mask">;
  schemaId: number;
};

/** Hooks of whoever starts a run. */
export type RunHooks = Pick<LogPorts, "mayPublish" | "published">;

/** The flow, wired to the partner and the topic of the configuration. */
export const reconcileRuns = (
  config: Config,
  { services, events, partner, schemaId }: ReconcileDeps,
  hooks: RunHooks,
): Reconcile => {
  const { clock } = services;
  const topic = config.topics.transactionStatus;
  const schema = readSchema("transaction-status-updated");
  const decode = decoder<TransactionStatusUpdated>(schema, services.registry, clock.monotonic, schemaId);

  const options = {
    entriesPointer: config.partner.logEntriesPointer ?? null,
    notificationPointer: config.partner.logNotificationPointer ?? null,
    lanes: Math.max(1, Math.min(MAX_LANES, Math.floor(config.webhook.maxInFlight / 4))),
    maxEntryBytes: Math.max(MIN_MAX_ENTRY_BYTES, 2 * config.webhook.maxBodyBytes),
  };
  const readEvents: LogPorts["readEvents"] = async (sinceMs, take, signal) => {
    const takeDecoded = (decoded: Awaited<ReturnType<typeof decode>>): void => {
      if (decoded.ok) take(decoded.value);
    };
    await withCluster(services, async (cluster) => {
      const ranges = await clock.within(RANGES_MS, signal, cluster.ranges(topic, sinceMs));
      const takeRecord: TakeRecord = ({ value }) =>
        value === null ? undefined : whenKnown(decode(value), takeDecoded);
      await scan({ topic, ranges }, takeRecord, services, signal);
    });
  };
  const ports: Omit<LogPorts, "fetchLog" | "publishOnce"> = {
    ...hooks,
    clock,
    seen: (identity) => events.window.seen(identity, clock.now()),
    readEvents,
  };
  const { publishOnce } = events;
  const { fetchLog, mask } = partner;
  return tracedRuns(config, services.traces, { fetchLog, mask, publishOnce }, (traced) =>
    logToEvents(options, { ...ports, ...traced }),
  );
};

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

/** Resolves when the flow is not paused. */
type UntilOpen = (signal: AbortSignal) => Promise<void>;

export type ReconcileFlow = Subsystem & {
  isLeader: () => boolean;
  /** Stops the run under way, and leaves the election group. */
  stop: () => Promise<void>;
};

/** Starts the reconcile flow: publishes what webhooks missed, on one elected replica at a time. */
export const openReconcile = (
  config: Config,
  { metrics, untilOpen, ...deps }: ReconcileDeps & { metrics: Metrics; untilOpen: UntilOpen },
): ReconcileFlow => {
  const { services } = deps;
  const { clock, log } = services;

  /** As it is in Kafka, for later leaders and for the console. */
  let note: ReconcileNote = { completeAtMs: null, wholeAtMs: null };

  const putNote = (text: string): Promise<void> =>
    withCluster(services, async (cluster) => {
      // At the end of the topic, so that tools which alert on a group's lag stay quiet.
      const end = (await cluster.ranges(config.topics.transactionStatus)).get(0)?.endOffset ?? 0;
      await election.saveNote({ offset: end, note: text });
    });

  /** Without waiting: a run counts even if this fails. */
  const keep = (changed: Partial<ReconcileNote>): void => {
    note = { ...note, ...changed };
    putNote(writeNote(note)).catch((error: unknown) =>
      log.warn({ reason: messageOf(error) }, "reconcile.note.failed"),
    );
  };

  const show = (shown: ReconcileNote): void => {
    const at = completeAt(shown, clock.now());
    if (at === null) metrics.reconcileCompleteAt.remove();
    else metrics.reconcileCompleteAt.set(Math.floor(at / 1_000));
  };

  /** Reads what the last leader noted, and sets the metric from it. */
  const recall = async (): Promise<void> => {
    note = await withCluster(services, (cluster) => lastNote(config, cluster));
    show(note);
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
      await recall();
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
