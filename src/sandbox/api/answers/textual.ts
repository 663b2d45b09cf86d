import { text } from "../../runtime/answer.ts";
import { plain } from "./plain.ts";
import { statusOf } from "./refusals.ts";
import type { AnswersProfile } from "./types.ts";

/** Bodies that are not JSON: the identifier alone as text, an "OK", and a gateway's HTML page for a refusal. */
export const textual: AnswersProfile = {
  ...plain,
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
