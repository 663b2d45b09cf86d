import { eventually } from "./eventually.ts";
import type { Settings } from "./settings.ts";
import { onAllBrokers, type ThreeBrokers } from "./three-brokers.ts";
import { slowestOf, startWebhookLoad, type Answer } from "./webhook-load.ts";
import { openTestWorld } from "./world.ts";

const PUBLISH_TIMEOUT_MS = 3_000;
const CONNECTIONS = 8;
/** The service counts as restored after this time with nothing but 2xx. */
const CALM_MS = 2_000;
/** The promise is half a second above the timeout; a busy machine gets more. */
export const SLOWEST_MS = PUBLISH_TIMEOUT_MS + 1_500;

const isGood = ({ status }: Answer): boolean => status === 200;

/**
 * Starts a bridge on topics with three replicas, under a constant load of webhooks. Resolves once they are
 * served; ends with the test.
 */
export const webhooksUnderFault = async (
  kafka: ThreeBrokers,
  { settings = {}, sandboxArgs = [] }: { settings?: Settings; sandboxArgs?: readonly string[] } = {},
) => {
  const world = await openTestWorld({
    cluster: kafka.cluster(),
    sandboxArgs,
    settings: {
      FLOWS: "webhooks",
      ...onAllBrokers,
      WEBHOOK_PUBLISH_TIMEOUT: `${PUBLISH_TIMEOUT_MS}ms`,
      ...settings,
    },
  });
  const replica = await world.startReady();
  const load = startWebhookLoad(replica.webhookUrl, CONNECTIONS);
  world.defer(load.stop);
  await eventually(() => load.answers.filter(isGood).length > 200, "webhooks to be served", 30_000);

  return {
    world,
    replica,
    load,
    /**
     * Waits until all partitions are served again. Resolves with the milliseconds from `sinceMs` to the end
     * of the last failed request.
     */
    untilWhole: async (sinceMs: number): Promise<number> => {
      const isCalm = (): boolean => {
        if (Date.now() < sinceMs + CALM_MS) return false;
        const answers = load.since(Date.now() - CALM_MS);
        return answers.length > 50 && answers.every(isGood);
      };
      await eventually(isCalm, "nothing but 2xx for a while", 45_000);
      const refusals = load.answers.filter((each) => !isGood(each));
      return Math.max(sinceMs, ...refusals.map(({ at, ms }) => at + ms)) - sinceMs;
    },
    /** Waits until every webhook is answered 503. */
    untilRefused: async (): Promise<void> => {
      const areRefused = (): boolean =>
        load.answers.slice(-3 * CONNECTIONS).every(({ status }) => status === 503);
      await eventually(areRefused, "every webhook to be refused", 30_000);
    },
    /**
     * Ends the load, waits until all brokers agree about the topic, and compares. `lost`: eventIds of
     * webhooks that were sent at `sinceMs` or later and answered with 2xx, but are not in the topic.
     */
    settle: async (sinceMs = 0) => {
      const answers = await load.stop();
      const claimed = answers.filter((answer) => isGood(answer) && answer.at >= sinceMs);
      await kafka.untilAgreedAbout(world.topics.events, 45_000);
      const records = await world.read(world.topics.events);
      const published = new Set(records.map(({ headers }) => headers["ce_id"]));
      const statuses = new Set(answers.map(({ status }) => status));
      return {
        claimed: claimed.length,
        lost: claimed.filter(({ eventId }) => !published.has(eventId)).map(({ eventId }) => eventId),
        otherStatuses: [...statuses].filter((status) => status !== 200 && status !== 503),
        slowestMs: slowestOf(answers),
      };
    },
  };
};
