import type { Answer, Call, PartnerOptions } from "../types.ts";
import { fieldsIn, saysFailed } from "../../runtime/json-pointer.ts";
import { doubtIn, FAILED, type Evidence } from "./evidence.ts";
import { bareQuoteId, findQuoteId, findTransactionId, quoteIdOfLocation } from "./find-quote-id.ts";
import { classify, doubtfulStatuses } from "./outcome.ts";
import type { SendRequest } from "./request.ts";

type QuoteCallOptions = Pick<
  PartnerOptions,
  "doubtStatuses" | "quoteIdPointer" | "transactionIdPointer" | "failedWhen" | "resultFields"
>;

/** Creates and accepts quotes. Each call is one request, never repeated; see `exchange` for the evidence of its outcome. */
export const quoteCalls = (options: QuoteCallOptions, send: SendRequest): Call => {
  const isDoubtful = doubtfulStatuses(options.doubtStatuses);
  const { quoteIdPointer, transactionIdPointer, failedWhen, resultFields } = options;

  const createdQuoteId = (evidence: Evidence, location: string, path: string): string | null => {
    const idByName = evidence.kind === "json" ? findQuoteId(evidence.text, quoteIdPointer) : null;
    const isWhole = evidence.kind === "json" || (evidence.kind === "other" && !evidence.isCut);
    const wholeText = isWhole && quoteIdPointer === undefined ? bareQuoteId(evidence.text) : null;
    return idByName ?? quoteIdOfLocation(location, path) ?? wholeText;
  };
  const begunTransactionId = (evidence: Evidence): string | null =>
    evidence.kind === "json" ? findTransactionId(evidence.text, transactionIdPointer) : null;

  return async (request, callOptions) => {
    const sent = await send(request, callOptions);
    if (sent.kind !== "answered") return sent;
    const { evidence, location, mask } = sent;
    const isAccept = request.operation === "ACCEPT_QUOTE";
    const id = isAccept ? begunTransactionId(evidence) : createdQuoteId(evidence, location, request.path);
    const name = isAccept ? "transactionId" : "quoteId";
    const answer: Answer = id === null ? sent.answer : { ...sent.answer, [name]: mask(id) };
    if (evidence.kind === "json" && resultFields.length > 0)
      answer.fields = fieldsIn(evidence.text, resultFields, mask);
    const outcome = classify(request.operation, answer, isDoubtful);
    if (outcome.kind !== "executed") return outcome;
    const hasFailed = id === null && "text" in evidence && saysFailed(evidence.text, failedWhen);
    const createDoubt = hasFailed ? FAILED : null;
    const doubt = isAccept ? doubtIn(evidence, request.ids, failedWhen) : createDoubt;
    if (doubt === null) return outcome;
    return { kind: "unclear", answer, reason: `the partner answered ${answer.httpStatus}, and ${doubt}` };
  };
};
