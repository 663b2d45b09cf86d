/** A UUID as lenient parsers take it: with or without hyphens, in braces or parentheses, as a URN. */
const UUID =
  /^(?:urn:uuid:)?[{(]?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})[)}]?$/;
/** Accents, and characters that show nothing. */
const UNSEEN = /[\p{M}\p{Cf}]/gu;
const LEADING_ZEROS = /^0+(?=\d+$)/;

/**
 * One text for all spellings of a quoteId that a lenient partner could take for one quote: upper and lower case, compatible forms of a
 * character (NFKD), accents, leading zeros of a number, and a UUID in whichever of its forms. Two quotes that are taken for one cost a needless
 * QUOTE_ALREADY_TAKEN; one quote that is taken for two could be bought twice.
 * A key is its own key: both cases are taken because a capital sharp s becomes a small one first, and then two letters.
 */
export const quoteKey = (quoteId: string): string => {
  const plain = quoteId.normalize("NFKD").replace(UNSEEN, "").toLowerCase().toUpperCase().toLowerCase();
  const uuid = UUID.exec(plain);
  return uuid ? uuid.slice(1).join("-") : plain.replace(LEADING_ZEROS, "");
};
