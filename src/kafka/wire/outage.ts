import type { Config } from "../../config/config.ts";
import { isRequestRefused } from "../errors.ts";
import { RegistryError } from "../schema/registry-http.ts";
import { isSignInFailure } from "../sign-in/sign-in-error.ts";
import { isBug, messageOf, OutageError, UsageError } from "../../runtime/errors.ts";

export const isRegistryError = (error: unknown): boolean =>
  error instanceof RegistryError || (error instanceof Error && isRegistryError(error.cause));

/** What failed (Kafka, its sign-in or the registry), with the setting that names it. */
export const describeOutage = (
  error: unknown,
  { kafka, registry }: Pick<Config, "kafka" | "registry">,
): string => {
  const kafkaSetting = isSignInFailure(error)
    ? `KAFKA_SASL_MECHANISM (${kafka.saslMechanism ?? "none"})`
    : `KAFKA_BROKERS (${kafka.brokers.join(",")})`;
  const setting = isRegistryError(error) ? `SCHEMA_REGISTRY_URL (${registry.url})` : kafkaSetting;
  return `${setting}: ${messageOf(error)}`;
};

/** What to check, as the end of a sentence. */
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

/**
 * Turns the failure of a request to Kafka or to the registry into an OutageError that says so in a sentence.
 * Passes on a UsageError, and an error of the program itself, as it is.
 * @param stopped if it has aborted, the error is passed on as it is
 */
export const explainOutage = <T>(config: Config, asking: Promise<T>, stopped?: AbortSignal): Promise<T> =>
  asking.catch((error: unknown) => {
    if (error instanceof UsageError || isBug(error) || stopped?.aborted) throw error;
    const what = `${whatFailed(error)}${describeOutage(error, config)}`;
    throw new OutageError(`${what}; ${outageAdvice(error)}.`, { cause: error });
  });
