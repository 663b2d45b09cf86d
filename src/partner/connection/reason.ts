import { AssertionError } from "node:assert";

/** Why there was no connection or no answer. */
export const reasonOf = (error: unknown): string => {
  // Node.js throws an AggregateError without a message if all addresses of a host fail.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  // undici asserts that an answer's status is 100 or more; the text of an assertion is code.
  if (error instanceof AssertionError) return "the answer has no valid status";
  // OpenSSL's message names addresses and lines of its code; its reason says what happened.
  if (error instanceof Error && "library" in error && "reason" in error)
    return `TLS: ${String(error.reason)}`;
  return error instanceof Error ? error.message : String(error);
};
