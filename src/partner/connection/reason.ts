/** Why there was no connection, or no answer. */
export const reasonOf = (error: unknown): string => {
  // What a host with several addresses ends in says nothing itself.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
};
