import { text } from "../../runtime/answer.ts";
import { plainProfile } from "./plain.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/** Bodies that are not JSON: a quoteId as text, "OK", an HTML page for a refusal, as a gateway sends it. */
export const textProfile: AnswersProfile = {
  ...plainProfile,
  createdAt: "local",
  created: (quote) => text(200, quote.quoteId),
  accepted: () => text(200, "OK"),
  subscribed: () => text(200, "OK"),
  log: "csv",
  refused: (refusal) => {
    const status = statusOf(refusal);
    const page = `<html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`;
    return text(status, page, "text/html; charset=utf-8", refusal.headers);
  },
};
