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
import { answerForm } from "./answer-form.ts";

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

/** Reads every event in the topic since an instant that can be read now. */
const eventsReader = (services: Services, schemaId: number): LogPorts["readEvents"] => {
  const { config, clock } = services;
  const topic = config.topics.transactionStatus;
  const schema = readSchema("transaction-status-updated");
  const decode = decoder<TransactionStatusUpdated>(schema, services, { ownId: schemaId });
  const choose = newPartitioner();
  return (sinceMs, onEvent, signal) =>
    withCluster(services, async (cluster) => {
      const { ranges, missing } = await clock.within(RANGES_MS, signal, cluster.ranges(topic, sinceMs));
      let records = 0;
      const countAndTake = (decoded: Awaited<ReturnType<typeof decode>>): void | Promise<void> => {
        if (decoded.ok) onEvent(decoded.value);
        return ++records % EVENTS_A_TURN === 0 ? yieldToEventLoop() : undefined;
      };
      const apart = await scan(
        { topic, ranges },
        ({ value }) => (value === null ? undefined : whenKnown(decode(value), countAndTake)),
        services,
        signal,
      );
      const unread = new Set([...missing, ...apart]);
      const partitions = ranges.size + missing.size;
      return {
        isRead: (transactionId) => !unread.has(choose(Buffer.from(transactionId), partitions)),
        reason: unread.size > 0 ? `${missingText(topic, unread)}; its transactions are held back` : null,
      };
    });
};

/** The flow, wired to the partner and the topic of the configuration. */
export const reconcileRuns = (
  { services, events, partner, schemaId }: ReconcileDeps,
  hooks: Pick<LogPorts, "mayPublish" | "onPublished">,
): Reconcile => {
  const { config, clock, traces } = services;
  const { baseUrl } = config.partner;
  const { fetchLog, mask } = partner;
  return logToEvents(
    {
      ...answerForm(config, {
        mask,
        maxEntryBytes: Math.max(MIN_MAX_ENTRY_BYTES, 2 * config.webhook.maxBodyBytes),
      }),
      lanes: Math.max(1, Math.min(MAX_LANES, Math.floor(config.webhook.maxInFlight / 4))),
      mostNotifications: MOST_NOTIFICATIONS,
    },
    {
      ...hooks,
      clock,
      isInWindow: (identity) => events.window.has(identity, clock.now()),
      readEvents: eventsReader(services, schemaId),
      fetchLog: traces ? fetchLogInSpan(traces, { url: new URL(baseUrl ?? ""), mask }, fetchLog) : fetchLog,
      publishOnce: events.publishOnce,
    },
  );
};

type RunOnce = Pick<RunRequest, "period" | "dryRun" | "force">;

/** One reconcile run, now. Throws a UsageError if something is missing in Kafka or the registry. */
export const reconcileOnce = async (
  services: Services,
  { period, dryRun, force }: RunOnce,
  signal: AbortSignal,
): Promise<Report> => {
  const { config } = services;
  const lookbackMs = services.clock.now() - period.fromMs;
  const largestRecords = largestRecordsFor(config, ["reconcile"]);
  const { schemaIdOf, problems, retentionWarning } = await withCluster(services, (cluster) =>
    inspect(
      { names: config.topics, used: ["transactionStatus"], largestRecords, lookbackMs },
      { cluster, registry: services.registry },
    ),
  );
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  if (retentionWarning !== null && !force && !dryRun)
    throw new UsageError(`${retentionWarning} Or begin with a later day, or insist with --force.`);

  const schemaId = schemaIdOf("transaction-status-updated");
  const partner = openPartner(config, services);
  const events = await openEvents(services, schemaId);
  try {
    const hooks = { mayPublish: () => signal.throwIfAborted(), onPublished: () => undefined };
    const run = reconcileRuns({ services, events, partner, schemaId }, hooks);
    // Only a window that has been read knows what other replicas publish.
    await events.untilRead(signal);
    const { minAgeMs } = config.reconcile;
    return await run({ period, minAgeMs, dryRun, force }, signal);
  } finally {
    await Promise.all([events.close(), partner.close()]);
  }
};
