import type { Services } from "../bridge/services.ts";
import type { Config } from "../config/config.ts";
import { rows, type Reading } from "../config/load.ts";
import type { Log } from "../runtime/log.ts";
import { askBrokers, checkAdvertised, servicesFor } from "./brokers.ts";
import { warn, runBounded, type Bounds, type Check } from "./check.ts";
import { checkOwnClock } from "./clocks.ts";
import { checkPartner } from "./partner.ts";
import { checkPorts, isWebhookPortFree } from "./ports.ts";
import { checkRights } from "./rights.ts";
import { checkSchemas } from "./schemas.ts";
import { checkSettings } from "./settings.ts";
import { checkTopics, MISSING } from "./topics.ts";
import { NOT_USED, checkWebhook, NOT_ASKED, type PublicUrl } from "./webhook.ts";

/** The running checks of one subject. `checks` rejects only when `signal` aborts. */
export type Subject = { group: string; checks: Promise<readonly Check[]> };

/** All checks together take less than 20 s, whatever hangs. */
const WHOLE_MS = 18_000;
const CLUSTER_MS = 8_000;
const AT_LEAST_MS = 1_000;
const PORTS_MS = 5_000;
const WEBHOOK_MS = 13_000;
const OTHERS_MS = 15_000;

const skipped = (name: string, why: string): readonly Check[] => [
  warn(name, `was not checked: ${why}`, "correct that first, then run `cambio-bridge doctor` again"),
];

/** The first wrong setting with one of these prefixes that has no default; or null. */
const firstUnusable = ({ problems }: Reading, ...beginnings: readonly string[]): string | null =>
  problems.find(
    ({ variable }) =>
      beginnings.some((each) => variable.startsWith(each)) &&
      rows.some(({ env, fallback }) => env === variable && fallback === null),
  )?.variable ?? null;

const kafkaChecks = (config: Config, log: Log, bounds: Bounds): Subject[] => {
  const { clock } = bounds;
  const until = clock.monotonic() + WHOLE_MS;
  const asked = askBrokers(config, log, bounds);
  const others = asked.then((all) => checkAdvertised(config, all, bounds));
  const further = (
    group: string,
    check: (services: Services, bounds: Bounds) => Promise<readonly Check[]>,
  ): Subject => ({
    group,
    checks: asked.then((all) => {
      const usable = all.filter(({ check }) => check.status !== "fail").map(({ broker }) => broker);
      if (usable.length === 0) return skipped(group, "no broker can be asked");
      const leftMs = Math.max(until - clock.monotonic(), AT_LEAST_MS);
      const services = servicesFor(config, usable, log, bounds);
      const checks = runBounded(group, Math.min(leftMs, CLUSTER_MS), bounds, (own) => check(services, own));
      return checks.finally(services.close);
    }),
  });
  const rights = further("rights", (services, own) => checkRights(config, services, own));
  const topics = further("topics", (services, own) => checkTopics(config, services, own));
  return [
    {
      group: "kafka",
      checks: Promise.all([asked, others]).then(([all, more]) => [...all.map(({ check }) => check), ...more]),
    },
    rights,
    // Without the right to see it, a topic looks as if it did not exist.
    {
      ...topics,
      checks: Promise.all([topics.checks, rights.checks]).then(([found, denied]) =>
        found.filter(
          ({ name, detail }) =>
            detail !== MISSING || !denied.some((one) => one.status === "fail" && one.name === name),
        ),
      ),
    },
  ];
};

const webhookChecks = (
  config: Config,
  publicUrl: PublicUrl | null,
  ports: Promise<readonly Check[]>,
  bounds: Bounds,
): Promise<readonly Check[]> => {
  if (!config.bridge.flows.includes("webhooks")) return Promise.resolve([NOT_USED]);
  if (publicUrl === null) return Promise.resolve([NOT_ASKED]);
  // Not before: the check of the ports opens the port itself for a moment.
  return ports.then((found) =>
    runBounded("webhook", WEBHOOK_MS, bounds, (own) =>
      checkWebhook(config, publicUrl, !isWebhookPortFree(found), own),
    ),
  );
};

/** Starts the checks of everything that `serve` needs, all at once. */
export const runChecks = (
  reading: Reading,
  publicUrl: PublicUrl | null,
  log: Log,
  bounds: Bounds,
): readonly Subject[] => {
  const { config } = reading;
  const unless = (
    group: string,
    lacks: string | null,
    check: (bounds: Bounds) => Promise<readonly Check[]>,
    ms = OTHERS_MS,
  ): Subject => ({
    group,
    checks:
      lacks === null
        ? runBounded(group, ms, bounds, check)
        : Promise.resolve(skipped(group, `${lacks} cannot be used`)),
  });
  const noKafka = firstUnusable(reading, "KAFKA_");
  const tokens = firstUnusable(reading, "PARTNER_ACCESS_TOKEN", "PARTNER_X_TOKEN", "PARTNER_NAME") === null;
  const { accessToken, xToken } = config.partner;
  const ports = runBounded("ports", PORTS_MS, bounds, (own) => checkPorts(config, own));
  return [
    { group: "settings", checks: Promise.resolve(checkSettings(reading, bounds.clock)) },
    { group: "clock", checks: Promise.resolve([checkOwnClock(bounds.clock.now())]) },
    { group: "ports", checks: ports },
    ...(noKafka === null
      ? kafkaChecks(config, log, bounds)
      : [{ group: "kafka", checks: Promise.resolve(skipped("kafka", `${noKafka} cannot be used`)) }]),
    unless("schemas", noKafka ?? firstUnusable(reading, "SCHEMA_REGISTRY_"), (own) => {
      const services = servicesFor(config, config.kafka.brokers, log, own);
      return checkSchemas(config, services, own).finally(services.close);
    }),
    unless(
      "partner",
      firstUnusable(reading, "PARTNER_BASE_URL", "PARTNER_TLS_", "PARTNER_PROXY_URL"),
      (own) => checkPartner(config, tokens && accessToken !== undefined && xToken !== undefined, own),
      WHOLE_MS,
    ),
    { group: "webhook", checks: webhookChecks(config, publicUrl, ports, bounds) },
  ];
};
