import { AssertionError } from "node:assert";

/** Why there was no connection or no answer. */
export const reasonOf = (error: unknown): string => {
  // Node.js throws an AggregateError without a message if all addresses of a host fail.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  // undici asserts that an answer's status is 100 or more; the text of an assertion is code.
  if (error instanceof AssertionError) return "the answer has no valid status";
  return error instanceof Error ? error.message : String(error);
};
