import type { ReadSettings } from "../config/load.ts";
import { rows } from "../config/settings.ts";
import type { Log } from "../runtime/log.ts";
import { fail, ok, runBounded, said, skipped, warn, type Bounds, type Check, type Subject } from "./check.ts";
import { kafkaChecks } from "./kafka.ts";
import { checkPartner } from "./partner.ts";
import { checkPorts } from "./ports.ts";
import { checkSchemas } from "./schemas.ts";
import { checkWebhook } from "./webhook.ts";

/** All checks run at once, and take less than 20 s, whatever hangs. */
const AT_MOST_MS = 18_000;

/** The first wrong setting with one of these prefixes that has no default; or null. */
const firstUnusable = ({ problems }: ReadSettings, beginnings: readonly string[]): string | null =>
  problems.find(
    ({ variable }) =>
      beginnings.some((each) => variable.startsWith(each)) &&
      rows.some(({ env, fallback }) => env === variable && fallback === null),
  )?.variable ?? null;

/** Every problem and warning of the settings. */
const checkSettings = ({ problems, warnings }: ReadSettings): Check[] => {
  const remedy = "correct it, and see `cambio-bridge config`";
  const checks = [
    ...problems.map(({ variable, message }) => fail(variable, message.replace(/\.$/, ""), remedy)),
    ...warnings.map(({ variable, message }) => warn(variable, message, remedy)),
  ];
  return checks.length > 0 ? checks : [ok("settings", "nothing is wrong with them")];
};

/** Starts the checks of everything that `serve` needs, all at once. */
export const runChecks = (reading: ReadSettings, log: Log, bounds: Bounds): readonly Subject[] => {
  const { config } = reading;
  const { accessToken, xToken } = config.partner;
  const noTokens = firstUnusable(reading, ["PARTNER_ACCESS_TOKEN", "PARTNER_X_TOKEN", "PARTNER_NAME"]);
  const hasTokens = noTokens === null && accessToken !== undefined && xToken !== undefined;
  const ports = checkPorts(config, bounds);

  /** The checks of a subject, unless a setting that they need is wrong. */
  const ofSubject = (
    group: string,
    needs: readonly string[],
    check: (own: Bounds) => Promise<readonly Check[]>,
  ): Subject => {
    const lacks = firstUnusable(reading, needs);
    return lacks === null
      ? { group, checks: runBounded(group, AT_MOST_MS, bounds, check) }
      : said(group, skipped(group, `${lacks} cannot be used`));
  };
  const noKafka = firstUnusable(reading, ["KAFKA_"]);
  return [
    said("settings", ...checkSettings(reading)),
    ofSubject("ports", [], async () => (await ports).checks),
    ...(noKafka === null
      ? kafkaChecks(config, log, bounds)
      : [said("kafka", skipped("kafka", `${noKafka} cannot be used`))]),
    ofSubject("schemas", ["SCHEMA_REGISTRY_", ...(config.registry.oauth ? ["KAFKA_OAUTH_"] : [])], (own) =>
      checkSchemas(config, log, own),
    ),
    ofSubject("partner", ["PARTNER_BASE_URL", "PARTNER_TLS_", "PARTNER_PROXY_URL"], (own) =>
      checkPartner(config, hasTokens, own),
    ),
    // Not before the ports: their check opens the webhook port itself for a moment.
    ofSubject("webhook", [], async (own) => checkWebhook(config, !(await ports).isFree, own)),
  ];
};
