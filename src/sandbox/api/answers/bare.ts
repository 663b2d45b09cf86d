import { empty } from "../../runtime/answer.ts";
import { plain, plainLog } from "./plain.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/** No body where none is needed: the new quote's identifier is in Location alone, refusals are a bare status. */
export const bare: AnswersProfile = {
  ...plain,
  createdAt: "iso-seconds",
  created: (quote) => empty(201, { location: `/corporate/v1/quote/${encodeURIComponent(quote.quoteId)}` }),
  accepted: () => empty(204),
  subscribed: () => empty(204),
  log: { ...plainLog, none: () => empty(204) },
  refused: (refusal) => empty(statusOf(refusal), refusal.headers),
};
