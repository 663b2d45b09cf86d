import type { Config } from "../config/config.ts";
import { rows, type Reading } from "../config/load.ts";
import type { Log } from "../runtime/log.ts";
import { runBounded, skipped, type Bounds, type Check, type Subject } from "./check.ts";
import { checkOwnClock } from "./clocks.ts";
import { kafkaChecks } from "./kafka.ts";
import { checkPartner } from "./partner.ts";
import { checkPorts } from "./ports.ts";
import { checkSchemas } from "./schemas.ts";
import { servicesOfRegistry } from "./access.ts";
import { checkSettings } from "./settings.ts";
import { checkTraces } from "./traces.ts";
import { NOT_USED, checkWebhook, NOT_ASKED, type PublicUrl } from "./webhook.ts";

/** All checks together take less than 20 s, whatever hangs. */
const PORTS_MS = 5_000;
const WEBHOOK_MS = 13_000;
const PARTNER_MS = 18_000;
const OTHERS_MS = 15_000;

/** The first wrong setting with one of these prefixes that has no default; or null. */
const firstUnusable = ({ problems }: Reading, ...beginnings: readonly string[]): string | null =>
  problems.find(
    ({ variable }) =>
      beginnings.some((each) => variable.startsWith(each)) &&
      rows.some(({ env, fallback }) => env === variable && fallback === null),
  )?.variable ?? null;

const webhookChecks = (
  config: Config,
  publicUrl: PublicUrl | null,
  /** Resolves when the ports were checked: whether a bridge may run on this machine. */
  mayRun: Promise<boolean>,
  bounds: Bounds,
): Promise<readonly Check[]> => {
  if (!config.bridge.flows.includes("webhooks")) return Promise.resolve([NOT_USED]);
  if (publicUrl === null) return Promise.resolve([NOT_ASKED]);
  // Not before: the check of the ports opens the port itself for a moment.
  return mayRun.then((may) =>
    runBounded("webhook", WEBHOOK_MS, bounds, (own) => checkWebhook(config, publicUrl, may, own)),
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
  const noRegistry = firstUnusable(
    reading,
    "SCHEMA_REGISTRY_",
    ...(config.registry.oauth ? ["KAFKA_OAUTH_"] : []),
  );
  const tokens = firstUnusable(reading, "PARTNER_ACCESS_TOKEN", "PARTNER_X_TOKEN", "PARTNER_NAME") === null;
  const { accessToken, xToken } = config.partner;
  let isFree = false;
  const ports = runBounded("ports", PORTS_MS, bounds, async (own) => {
    const found = await checkPorts(config, own);
    isFree = found.isFree;
    return found.checks;
  });
  return [
    { group: "settings", checks: Promise.resolve(checkSettings(reading, bounds.clock)) },
    { group: "clock", checks: Promise.resolve([checkOwnClock(bounds.clock.now())]) },
    { group: "ports", checks: ports },
    ...(noKafka === null
      ? kafkaChecks(config, log, bounds)
      : [{ group: "kafka", checks: Promise.resolve(skipped("kafka", `${noKafka} cannot be used`)) }]),
    unless("schemas", noRegistry, (own) => {
      const services = servicesOfRegistry(config, log, own);
      return checkSchemas(config, services, own).finally(services.close);
    }),
    unless(
      "partner",
      firstUnusable(reading, "PARTNER_BASE_URL", "PARTNER_TLS_", "PARTNER_PROXY_URL"),
      (own) => checkPartner(config, tokens && accessToken !== undefined && xToken !== undefined, own),
      PARTNER_MS,
    ),
    {
      group: "webhook",
      checks: webhookChecks(
        config,
        publicUrl,
        ports.then(() => !isFree),
        bounds,
      ),
    },
    unless("traces", null, (own) => checkTraces(config, own)),
  ];
};
