/** A UUID as lenient parsers accept it: without hyphens, in braces or parentheses, or as a URN. */
const UUID =
  /^(?:urn:uuid:)?[{(]?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})[)}]?$/;
/** Combining marks (accents) and invisible format characters. */
const UNSEEN = /[\p{M}\p{Cf}]/gu;
const LEADING_ZEROS = /^0+(?=\d+$)/;

/**
 * The journal key of a quote: one text for all spellings that a lenient partner could take for the same
 * quote. Ignores case, compatibility forms (NFKD), accents, leading zeros of a number, and the form of a
 * UUID. Merging two quotes costs a needless QUOTE_ALREADY_TAKEN; splitting one quote could buy it twice.
 * Idempotent: lower, upper, lower again, because a capital sharp s becomes a small one first and "ss" only
 * after that.
 */
export const quoteKey = (quoteId: string): string => {
  const plain = quoteId.normalize("NFKD").replace(UNSEEN, "").toLowerCase().toUpperCase().toLowerCase();
  const uuid = UUID.exec(plain);
  return uuid ? uuid.slice(1).join("-") : plain.replace(LEADING_ZEROS, "");
};
