import { inject } from "vitest";
import type { KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { agreedTopic } from "./broker-view.ts";
import { eventually } from "./eventually.ts";
import { readTopic } from "./topic.ts";
import { startWebhookLoad, type Answer } from "./webhook-load.ts";
import { openWorld } from "./world.ts";

const PUBLISH_TIMEOUT_MS = 3_000;
const CONNECTIONS = 8;
/** So long nothing but 2xx: that is what whole means. */
const CALM_MS = 2_000;
/** The promise is half a second; a machine that is busy with other things gets a little more. */
export const SLOWEST_MS = PUBLISH_TIMEOUT_MS + 1_500;

export type WebhooksUnderFault = Awaited<ReturnType<typeof webhooksUnderFault>>;

/** The broker of this id. */
export const brokerOf = ({ brokers }: KafkaCluster, id: number) => {
  const found = brokers.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`there is no broker ${id}`);
  return found;
};

const isGood = ({ status }: Answer): boolean => status === 200;

/** A bridge on topics with three replicas, and webhooks that arrive all the while. Resolves once they are served. */
export const webhooksUnderFault = async (
  kafka: KafkaCluster,
  { env = {}, sandboxArgs = [] }: { env?: Record<string, string>; sandboxArgs?: string[] } = {},
) => {
  const world = await openWorld(
    {
      kafkaBrokers: kafka.bootstrapServers,
      schemaRegistryUrl: env["SCHEMA_REGISTRY_URL"] ?? inject("schemaRegistryUrl"),
    },
    {
      sandboxArgs,
      env: {
        FLOWS: "webhooks",
        TOPIC_REPLICATION_FACTOR: "3",
        WEBHOOK_PUBLISH_TIMEOUT: `${PUBLISH_TIMEOUT_MS}ms`,
        ...env,
      },
    },
  );
  const replica = await world.startReplica();
  await eventually(() => replica.isReady(), "the replica to be ready", 30_000);
  const load = startWebhookLoad(replica.webhookUrl, CONNECTIONS);
  await eventually(() => load.answers.filter(isGood).length > 200, "webhooks to be served", 30_000);

  /** Waits until all partitions are served again, not only those that never were in trouble; gives the milliseconds since `sinceMs`. */
  const untilWhole = async (sinceMs: number): Promise<number> => {
    await eventually(
      () => {
        if (Date.now() < sinceMs + CALM_MS) return false;
        const answers = load.since(Date.now() - CALM_MS);
        return answers.length > 50 && answers.every(isGood);
      },
      "nothing but 2xx for a while",
      45_000,
    );
    const wholeAt = Math.max(
      sinceMs,
      ...load.answers.filter((each) => !isGood(each)).map(({ at, ms }) => at + ms),
    );
    return wholeAt - sinceMs;
  };

  return {
    world,
    replica,
    load,
    untilWhole,
    /** Waits until none is served, and each is told so. */
    untilRefused: (): Promise<true> =>
      eventually(
        () => {
          const answers = load.answers.slice(-3 * CONNECTIONS);
          return answers.every(({ status }) => status === 503);
        },
        "every webhook to be refused",
        30_000,
      ),
    /**
     * Ends the load, waits until all brokers agree about the topic, and draws up the account. `lost`: asked for at `sinceMs` or later, answered
     * with 2xx, and not in the topic.
     */
    settle: async (sinceMs = 0) => {
      const answers = await load.stop();
      const claimed = answers.filter((answer) => isGood(answer) && answer.at >= sinceMs);
      await eventually(() => agreedTopic(kafka.brokers, world.topics.events), "the brokers to agree", 45_000);
      const records = await readTopic(kafka.bootstrapServers, world.topics.events);
      const published = new Set(records.map(({ headers }) => String(headers?.["ce_id"])));
      return {
        claimed: claimed.length,
        lost: claimed.filter(({ eventId }) => !published.has(eventId)).map(({ eventId }) => eventId),
        otherStatuses: [...new Set(answers.map(({ status }) => status))].filter(
          (s) => s !== 200 && s !== 503,
        ),
        slowestMs: Math.max(...answers.map(({ ms }) => ms)),
      };
    },
    close: async (): Promise<void> => {
      await load.stop();
      await world.close();
    },
  };
};
