const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * A UUID names the same quote in upper and lower case: a client that sends an accept for both has accepted it
 * twice.
 */
export const canonicalId = (quoteId: string): string =>
  uuid.test(quoteId) ? quoteId.toLowerCase() : quoteId;
