import type { Config } from "../../config/config.ts";
import { isRequestRefused } from "../errors.ts";
import { RegistryError } from "../schema/registry-http.ts";
import { isSignInFailure } from "../sign-in/sign-in-error.ts";
import { isBug, messageOf, OutageError, UsageError } from "../../runtime/errors.ts";

export const isRegistryError = (error: unknown): boolean =>
  error instanceof RegistryError || (error instanceof Error && isRegistryError(error.cause));

/** The setting that names what failed: Kafka, its sign-in or the registry. */
const settingOf = (error: unknown, { kafka, registry }: Config): string => {
  if (isRegistryError(error)) return `SCHEMA_REGISTRY_URL (${registry.url})`;
  return isSignInFailure(error)
    ? `KAFKA_SASL_MECHANISM (${kafka.saslMechanism ?? "none"})`
    : `KAFKA_BROKERS (${kafka.brokers.join(",")})`;
};

export const describeOutage = (error: unknown, config: Config): string =>
  `${settingOf(error, config)}: ${messageOf(error)}`;

export const outageAdvice = (error: unknown): string => {
  if (isSignInFailure(error)) return "check the Kafka user and KAFKA_SASL_*";
  if (isRequestRefused(error))
    return "see that what is named here exists, and that this user has the rights that docs/security.md names";
  return "see that it runs, and that the setting names it";
};

/** A registry's error says itself whether it answered. */
const whatFailed = (error: unknown): string => {
  if (isRegistryError(error)) return "";
  if (isSignInFailure(error)) return "Kafka does not let it in. ";
  return isRequestRefused(error) ? "Kafka refuses it. " : "Kafka does not answer. ";
};

/** Explains a failure of Kafka or the registry. UsageErrors, bugs, and failures after `stopped` aborts pass through. */
export const explainOutage = <T>(config: Config, asking: Promise<T>, stopped?: AbortSignal): Promise<T> =>
  asking.catch((error: unknown) => {
    if (error instanceof UsageError || isBug(error) || stopped?.aborted) throw error;
    const what = `${whatFailed(error)}${describeOutage(error, config)}`;
    throw new OutageError(`${what}; ${outageAdvice(error)}.`, { cause: error });
  });
