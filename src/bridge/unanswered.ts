import type { Config } from "../config/config.ts";
import { RegistryError } from "../kafka/schema/registry-http.ts";
import { messageOf } from "../runtime/errors.ts";

export const isOfRegistry = (error: unknown): boolean =>
  error instanceof RegistryError || (error instanceof Error && isOfRegistry(error.cause));

/** What does not answer, or not as it should, with the setting that says where it is. */
export const named = (error: unknown, { kafka, registry }: Pick<Config, "kafka" | "registry">): string => {
  const setting = isOfRegistry(error)
    ? `SCHEMA_REGISTRY_URL (${registry.url})`
    : `KAFKA_BROKERS (${kafka.brokers.join(",")})`;
  return `${setting}: ${messageOf(error)}`;
};
