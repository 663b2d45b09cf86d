import { inspect } from "../../kafka/cluster/inspect.ts";
import { scan } from "../../kafka/consume/scan.ts";
import { newPartitioner } from "../../kafka/produce/partitioner.ts";
import { missingText } from "../../kafka/ranges.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema } from "../../kafka/schema/schemas.ts";
import { logToEvents, type LogPorts, type Reconcile, type Report, type RunRequest } from "../flow.ts";
import { openEvents, type Events } from "../../notification/wire/events.ts";
import type { Partner } from "../../partner/client.ts";
import type { TransactionStatusUpdated } from "../../records.ts";
import { UsageError } from "../../runtime/errors.ts";
import { yieldToEventLoop } from "../../runtime/event-loop.ts";
import { whenKnown } from "../../runtime/when-known.ts";
import { largestRecordsFor } from "../../kafka/wire/topic-demands.ts";
import { openPartner } from "../../partner/wire.ts";
import type { Services } from "../../kafka/wire/services.ts";
import { fetchLogInSpan } from "../../partner/call-span.ts";
import { withCluster } from "../../kafka/cluster/with-cluster.ts";

/** An entry holds a notification, maybe as an escaped string, and metadata. Larger ones would block other work. */
const MIN_MAX_ENTRY_BYTES = 262_144;
const RANGES_MS = 10_000;
/** Concurrent publications. Few, because webhooks wait in the same queue. */
const MAX_LANES = 8;
/** A million takes 60 MB. A partner's log may hold any number. */
const MOST_NOTIFICATIONS = 1_500_000;
/** After so many events, which take about a millisecond, other work of the process has its turn. */
const EVENTS_A_TURN = 200;

export type ReconcileDeps = {
  services: Services;
  events: Pick<Events, "publishOnce" | "window">;
  partner: Pick<Partner, "fetchLog" | "mask">;
  schemaId: number;
};

const eventsReader = (services: Services, schemaId: number): LogPorts["readEvents"] => {
  const { config, clock } = services;
  const topic = config.topics.transactionStatus;
  const schema = readSchema("transaction-status-updated");
  const decode = decoder<TransactionStatusUpdated>(schema, services, { ownId: schemaId });
  const partitionOf = newPartitioner();
  return (sinceMs, onEvent, signal) =>
    withCluster(services, async (cluster) => {
      const { ranges, missing } = await clock.within(RANGES_MS, signal, cluster.ranges(topic, sinceMs));
      let records = 0;
      const countAndTake = (decoded: Awaited<ReturnType<typeof decode>>): void | Promise<void> => {
        if (decoded.ok) onEvent(decoded.value);
        return ++records % EVENTS_A_TURN === 0 ? yieldToEventLoop() : undefined;
      };
      const unreadable = await scan(
        { topic, ranges },
        ({ value }) => (value === null ? undefined : whenKnown(decode(value), countAndTake)),
        services,
        signal,
      );
      const unread = new Set([...missing, ...unreadable]);
      const partitions = ranges.size + missing.size;
      return {
        isRead: (transactionId) => !unread.has(partitionOf(Buffer.from(transactionId), partitions)),
        reason: unread.size > 0 ? `${missingText(topic, unread)}; its transactions are held back` : null,
      };
    });
};

/** @param mayPublish throws when this replica is no longer the leader; called before each event */
export const reconcileRuns = (
  { services, events, partner: { fetchLog, mask }, schemaId }: ReconcileDeps,
  mayPublish: () => void,
): Reconcile => {
  const { config, clock, log, traces } = services;
  const { partner, webhook, reconcile } = config;
  const publish: LogPorts["publish"] = async (notification, facts) => {
    mayPublish();
    const context = { receivedAt: clock.now(), source: "NOTIFICATION_LOG", trace: null, facts } as const;
    const outcome = await events.publishOnce(notification, context);
    if (outcome.kind === "duplicate") return "known";
    const { eventId, transactionId, status, outOfOrder } = outcome.event;
    log.info({ eventId, transactionId, status, outOfOrder }, "reconcile.published");
    return "published";
  };
  return logToEvents(
    {
      ...partner,
      mask,
      maxEntryBytes: Math.max(MIN_MAX_ENTRY_BYTES, 2 * webhook.maxBodyBytes),
      minAgeMs: reconcile.minAgeMs,
      lanes: Math.max(1, Math.min(MAX_LANES, Math.floor(webhook.maxInFlight / 4))),
      mostNotifications: MOST_NOTIFICATIONS,
    },
    {
      clock,
      publish,
      isInWindow: (identity) => events.window.has(identity, clock.now()),
      readEvents: eventsReader(services, schemaId),
      fetchLog: traces
        ? fetchLogInSpan(traces, { url: new URL(partner.baseUrl ?? ""), mask }, fetchLog)
        : fetchLog,
    },
  );
};

/** One reconcile run, now. Throws a UsageError if something is missing in Kafka or the registry. */
export const reconcileOnce = async (
  services: Services,
  request: RunRequest,
  signal: AbortSignal,
): Promise<Report> => {
  const { config, registry } = services;
  const lookbackMs = services.clock.now() - request.period.fromMs;
  const largestRecords = largestRecordsFor(config, ["reconcile"]);
  const needs = { names: config.topics, used: ["transactionStatus"], largestRecords, lookbackMs } as const;
  const { schemaIdOf, problems, retentionWarning } = await withCluster(services, (cluster) =>
    inspect(needs, { cluster, registry }),
  );
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  if (retentionWarning !== null && !request.force && !request.dryRun)
    throw new UsageError(`${retentionWarning} Or begin with a later day, or insist with --force.`);

  const schemaId = schemaIdOf("transaction-status-updated");
  const partner = openPartner(config, services);
  const events = await openEvents(services, schemaId);
  try {
    const run = reconcileRuns({ services, events, partner, schemaId }, () => signal.throwIfAborted());
    // Only a window that has been read knows what other replicas publish.
    await events.untilRead(signal);
    return await run(request, signal);
  } finally {
    await Promise.all([events.close(), partner.close()]);
  }
};
