import { RegistryError } from "./schema/registry-http.ts";

/** Statuses by which a registry refuses a schema. After a 401 the next request may have a newer token. */
const REFUSAL_STATUSES: readonly (number | null)[] = [403, 409, 422];

/** kafkajs's names for an error that Kafka does not name, and for a code that kafkajs does not know. */
const UNNAMED: readonly unknown[] = ["UNKNOWN", "KAFKAJS_UNKNOWN_ERROR_CODE"];

/** Whether a broker or the registry has answered, and would answer the same request in the same way. */
export const isFinal = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (error instanceof RegistryError) return REFUSAL_STATUSES.includes(error.status);
  // kafkajs knows of each code of the protocol whether a later request may succeed.
  if ("retriable" in error && "type" in error)
    return error.retriable === false && !UNNAMED.includes(error.type);
  return isFinal(error.cause);
};
