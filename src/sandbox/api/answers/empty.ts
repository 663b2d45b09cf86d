import { empty } from "../../runtime/answer.ts";
import { plainProfile, plainLog } from "./plain.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/** No bodies: the quoteId of a new quote is only in Location, and a refusal is only a status. */
export const emptyProfile: AnswersProfile = {
  ...plainProfile,
  createdAt: "iso-seconds",
  created: (quote) => empty(201, { location: `/corporate/v1/quote/${encodeURIComponent(quote.quoteId)}` }),
  accepted: () => empty(204),
  subscribed: () => empty(204),
  log: { ...plainLog, emptyAnswer: () => empty(204) },
  refused: (refusal) => empty(statusOf(refusal), refusal.headers),
};
