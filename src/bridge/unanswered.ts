import type { Config } from "../config/config.ts";
import { RegistryError } from "../kafka/schema/registry-http.ts";
import { isSignInFailure } from "../kafka/sign-in/sign-in-error.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";

export const isOfRegistry = (error: unknown): boolean =>
  error instanceof RegistryError || (error instanceof Error && isOfRegistry(error.cause));

/** What does not answer, or not as it should, with the setting that says where it is. */
export const named = (error: unknown, { kafka, registry }: Pick<Config, "kafka" | "registry">): string => {
  const kafkaSetting = isSignInFailure(error)
    ? `KAFKA_SASL_MECHANISM (${kafka.saslMechanism ?? "none"})`
    : `KAFKA_BROKERS (${kafka.brokers.join(",")})`;
  const setting = isOfRegistry(error) ? `SCHEMA_REGISTRY_URL (${registry.url})` : kafkaSetting;
  return `${setting}: ${messageOf(error)}`;
};

/** What to look at, as the end of a sentence. */
export const advice = (error: unknown): string =>
  isSignInFailure(error)
    ? "see that it knows who signs in here, and that the settings say so rightly"
    : "see that it runs, and that the setting names it";

/**
 * Does what asks Kafka. Where that does not answer the error is a sentence that says so.
 * @param stopped where it is aborted, nobody waits for the answer any more
 */
export const orUnanswered = <T>(config: Config, asking: Promise<T>, stopped?: AbortSignal): Promise<T> =>
  asking.catch((error: unknown) => {
    if (error instanceof UsageError || stopped?.aborted) throw error;
    const what = isSignInFailure(error) ? "Kafka does not let it in" : "Kafka does not answer";
    throw new UsageError(`${what}. ${named(error, config)}.`, { cause: error });
  });
