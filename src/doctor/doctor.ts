import type { ReadSettings } from "../config/load.ts";
import { rows } from "../config/settings.ts";
import { fail, ok, runBounded, skipped, warn, type Check, type Doctor, type Subject } from "./check.ts";
import { kafkaChecks } from "./kafka.ts";
import { checkPartner } from "./partner.ts";
import { checkSchemas } from "./schemas.ts";
import { checkWebhook } from "./webhook.ts";

/** All checks run at once, and take less than 20 s, whatever hangs. */
const AT_MOST_MS = 18_000;

const checkSettings = ({ problems, warnings }: ReadSettings): Check[] => {
  const remedy = "correct it, and see `cambio-bridge config`";
  const checks = [
    ...problems.map(({ variable, message }) => fail(variable, message.replace(/\.$/, ""), remedy)),
    ...warnings.map(({ variable, message }) => warn(variable, message, remedy)),
  ];
  return checks.length > 0 ? checks : [ok("settings", "nothing is wrong with them")];
};

export const runChecks = (
  settings: ReadSettings,
  deps: Pick<Doctor, "log" | "clock" | "signal">,
): Subject[] => {
  const { config, problems } = settings;
  const doctor = { config, ...deps };
  const { accessToken, xToken } = config.partner;

  /** The first wrong setting with one of these prefixes that has no default. */
  const firstUnusable = (...prefixes: readonly string[]): string | undefined =>
    problems.find(
      ({ variable }) =>
        prefixes.some((prefix) => variable.startsWith(prefix)) &&
        rows.some(({ env, fallback }) => env === variable && fallback === null),
    )?.variable;
  const noTokens = firstUnusable("PARTNER_ACCESS_TOKEN", "PARTNER_X_TOKEN", "PARTNER_NAME");
  const hasTokens = noTokens === undefined && accessToken !== undefined && xToken !== undefined;

  const unless = (unusable: string | undefined, group: string, start: () => Subject[]): Subject[] => {
    if (unusable === undefined) return start();
    return [{ group, checks: Promise.resolve([skipped(group, `${unusable} cannot be used`)]) }];
  };
  const subject = (group: string, check: (doctor: Doctor) => Promise<readonly Check[]>): Subject[] => [
    { group, checks: runBounded(group, AT_MOST_MS, doctor, check) },
  ];
  const ofRegistry = ["SCHEMA_REGISTRY_", ...(config.registry.oauth ? ["KAFKA_OAUTH_"] : [])];
  return [
    { group: "settings", checks: Promise.resolve(checkSettings(settings)) },
    ...unless(firstUnusable("KAFKA_"), "kafka", () => kafkaChecks(doctor)),
    ...unless(firstUnusable(...ofRegistry), "schemas", () => subject("schemas", checkSchemas)),
    ...unless(firstUnusable("PARTNER_BASE_URL", "PARTNER_TLS_", "PARTNER_PROXY_URL"), "partner", () =>
      subject("partner", (limits) => checkPartner(limits, hasTokens)),
    ),
    ...subject("webhook", checkWebhook),
  ];
};
