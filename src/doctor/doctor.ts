import type { Reading } from "../config/load.ts";
import { rows } from "../config/settings.ts";
import type { Log } from "../runtime/log.ts";
import { fail, ok, runBounded, skipped, warn, type Bounds, type Check, type Subject } from "./check.ts";
import { checkOwnClock } from "./clocks.ts";
import { kafkaChecks } from "./kafka.ts";
import { checkPartner } from "./partner.ts";
import { checkPorts } from "./ports.ts";
import { checkSchemas } from "./schemas.ts";
import { checkWebhook, NOT_ASKED, NOT_USED, type PublicUrl } from "./webhook.ts";

/** All checks together take less than 20 s, whatever hangs. */
const PORTS_MS = 5_000;
const WEBHOOK_MS = 13_000;
const PARTNER_MS = 18_000;
const SCHEMAS_MS = 15_000;

/** The first wrong setting with one of these prefixes that has no default; or null. */
const firstUnusable = ({ problems }: Reading, ...beginnings: readonly string[]): string | null =>
  problems.find(
    ({ variable }) =>
      beginnings.some((each) => variable.startsWith(each)) &&
      rows.some(({ env, fallback }) => env === variable && fallback === null),
  )?.variable ?? null;

const CORRECT = "correct it, and see `cambio-bridge config`";

/** Every problem and warning of the settings. */
const checkSettings = ({ problems, warnings }: Reading): Check[] => {
  const checks = [
    ...problems.map(({ variable, message }) => fail(variable, message.replace(/\.$/, ""), CORRECT)),
    ...warnings.map(({ variable, message }) => warn(variable, message, CORRECT)),
  ];
  return checks.length > 0 ? checks : [ok("settings", "nothing is wrong with them")];
};

/** Starts the checks of everything that `serve` needs, all at once. */
export const runChecks = (
  reading: Reading,
  publicUrl: PublicUrl | null,
  log: Log,
  bounds: Bounds,
): readonly Subject[] => {
  const { config } = reading;
  const { accessToken, xToken } = config.partner;
  const unless = (lacks: string | null, group: string, check: () => Subject[]): Subject[] =>
    lacks === null
      ? check()
      : [{ group, checks: Promise.resolve(skipped(group, `${lacks} cannot be used`)) }];
  const bounded = (
    group: string,
    ms: number,
    check: (own: Bounds) => Promise<readonly Check[]>,
  ): Subject => ({
    group,
    checks: runBounded(group, ms, bounds, check),
  });
  const said = (group: string, checks: readonly Check[]): Subject => ({
    group,
    checks: Promise.resolve(checks),
  });

  const noKafka = firstUnusable(reading, "KAFKA_");
  const ofOauth = config.registry.oauth ? ["KAFKA_OAUTH_"] : [];
  const noRegistry = firstUnusable(reading, "SCHEMA_REGISTRY_", ...ofOauth);
  const noPartner = firstUnusable(reading, "PARTNER_BASE_URL", "PARTNER_TLS_", "PARTNER_PROXY_URL");
  const noTokens = firstUnusable(reading, "PARTNER_ACCESS_TOKEN", "PARTNER_X_TOKEN", "PARTNER_NAME");
  const hasTokens = noTokens === null && accessToken !== undefined && xToken !== undefined;
  const ports = checkPorts(config, bounds);
  const webhook = (): Subject => {
    if (!config.bridge.flows.includes("webhooks")) return said("webhook", [NOT_USED]);
    if (publicUrl === null) return said("webhook", [NOT_ASKED]);
    return bounded("webhook", WEBHOOK_MS, async (own) => {
      // Not before: the check of the ports opens the port itself for a moment.
      const { isFree } = await ports;
      return checkWebhook(config, publicUrl, !isFree, own);
    });
  };
  return [
    said("settings", checkSettings(reading)),
    said("clock", [checkOwnClock(bounds.clock.now())]),
    bounded("ports", PORTS_MS, async () => (await ports).checks),
    ...unless(noKafka, "kafka", () => kafkaChecks(config, log, bounds)),
    ...unless(noRegistry, "schemas", () => [
      bounded("schemas", SCHEMAS_MS, (own) => checkSchemas(config, log, own)),
    ]),
    ...unless(noPartner, "partner", () => [
      bounded("partner", PARTNER_MS, (own) => checkPartner(config, hasTokens, own)),
    ]),
    webhook(),
  ];
};
