/** Why there was no connection or no answer. */
export const reasonOf = (error: unknown): string => {
  // Node.js throws an AggregateError without a message if all addresses of a host fail.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
};
