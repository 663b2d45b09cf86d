import type { IncomingHttpHeaders } from "node:http";
import type { Subscriptions } from "../notifications/subscriptions.ts";
import type { Answer } from "../runtime/answer.ts";
import { WrongInput } from "../runtime/wrong-input.ts";
import type { QuoteBook } from "../transactions/quotes.ts";
import type { Operation } from "../types.ts";
import type { Refusal } from "./answers/refusals.ts";
import type { AnswersProfile, Stamp } from "./answers/types.ts";
import type { LogResponder } from "./log/read-log.ts";
import type { Readers } from "./read-requests.ts";

export type ApiRequest = {
  operation: Operation;
  /** From the path, decoded; null for all operations but accept. */
  quoteId: string | null;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
};

export type PartnerApiDeps = {
  profile: AnswersProfile;
  stamp: Stamp;
  checkHeaders: (headers: IncomingHttpHeaders) => Refusal | null;
  readers: Readers;
  quotes: QuoteBook;
  subscriptions: Subscriptions;
  logResponder: LogResponder;
};

const refusals = {
  unknown: { code: "QUOTE_NOT_FOUND", message: "there is no such quote" },
  "already-accepted": { code: "QUOTE_ALREADY_ACCEPTED", message: "the quote was accepted before" },
  expired: { code: "QUOTE_EXPIRED", message: "the quote's validity has passed: request a new one" },
  "not-of-today": { code: "QUOTE_NOT_OF_TODAY", message: "the quote was not created on this business day" },
} as const satisfies Record<string, Refusal>;

/** The imitated API without its transport: executes a request and builds the answer. */
export const createPartnerApi = (deps: PartnerApiDeps) => {
  const { profile, stamp, readers } = deps;

  const accept = (quoteId: string, body: Buffer): Answer => {
    const request = readers.accept(body);
    const outcome = deps.quotes.accept(quoteId, request);
    if (outcome.kind !== "executed" && outcome.kind !== "same")
      return profile.refused(refusals[outcome.kind]);
    const { transactionId, acceptedAt } = outcome;
    return profile.accepted(
      { quoteId, transactionId, acceptedAt, externalId: request.externalId ?? null },
      stamp,
    );
  };

  const execute = ({ operation, quoteId, query, body }: ApiRequest): Answer => {
    switch (operation) {
      case "create":
        return profile.created(deps.quotes.create(readers.quote(body)), stamp);
      case "accept":
        return accept(quoteId ?? "", body);
      case "subscribe": {
        const { url, events } = readers.subscription(body);
        return profile.subscribed(deps.subscriptions.subscribe(url, events), stamp);
      }
      case "logs":
        return deps.logResponder.read(readers.logFilter(query));
    }
  };

  return {
    answer: (request: ApiRequest): Answer => {
      const refusal = deps.checkHeaders(request.headers);
      if (refusal) return profile.refused(refusal);
      try {
        return execute(request);
      } catch (error) {
        if (error instanceof WrongInput)
          return profile.refused({ code: "INVALID_REQUEST", message: error.message });
        throw error;
      }
    },
    refuse: (refusal: Refusal): Answer => profile.refused(refusal),
  };
};

export type PartnerApi = ReturnType<typeof createPartnerApi>;
