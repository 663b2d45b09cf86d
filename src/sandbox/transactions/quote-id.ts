const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** A UUID is the same quote in upper and in lower case: a client that accepts it in both has accepted it twice. */
export const canonicalId = (quoteId: string): string =>
  uuid.test(quoteId) ? quoteId.toLowerCase() : quoteId;
