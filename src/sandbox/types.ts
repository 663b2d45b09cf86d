/** The sandbox's own vocabulary. Every instant is milliseconds since the Unix epoch on the sandbox's clock. */

export type Direction = "INBOUND" | "OUTBOUND";

export type QuoteRequest = {
  direction: Direction;
  purpose: string;
  quotedAmount: string;
  baseCurrencyIso: string;
  quotedCurrencyIso: string;
};

export type AcceptRequest = { counterpartyId: string; amount?: number; externalId?: string };

export type Quote = QuoteRequest & {
  quoteId: string;
  createdAt: number;
  expiresAt: number;
  /** How often an accept was executed for this quote. More than one is a double accept. */
  executions: number;
  acceptedAt: number | null;
  accept: AcceptRequest | null;
  transactionIds: string[];
};

export type StatusChange = { status: string; createdAt: number };

export type Transaction = {
  transactionId: string;
  quoteId: string | null;
  direction: Direction;
  walk: string;
  /** The statuses reached so far, oldest first; the last one is the current one. */
  statuses: StatusChange[];
};

export type Subscription = { subscriptionId: string; url: string; events: string[]; createdAt: number };

export type Attempt = {
  /** When the attempt was due, and when it was really started. */
  dueAt: number;
  startedAt: number;
  tookMs: number;
  httpStatus: number | null;
  answer: string | null;
  error: string | null;
};

/** How a lost notification stands in the log: as five failed attempts, or as a success that never arrived. */
export type LostAs = "failed" | "delivered";

/** One notification to one URL, as the log keeps it. */
export type LoggedNotification = {
  entryId: number;
  url: string;
  transactionId: string;
  status: string;
  createdAt: number;
  state: Delivery["state"];
  /** Oldest first; null where no answer came. */
  attempts: { at: number; httpStatus: number | null }[];
};

/** One notification on its way to one URL. */
export type Delivery = {
  deliveryId: string;
  /** Null where the log does not know of it: a repetition, or a forgery that the partner never sent. */
  entryId: number | null;
  url: string;
  eventType: string;
  transactionId: string;
  status: string;
  createdAt: number;
  /** The exact JSON text that is posted. */
  body: string;
  state: "pending" | "delivered" | "failed" | "dropped";
  duplicate: boolean;
  forged: boolean;
  attempts: Attempt[];
  nextAttemptAt: number | null;
};

export type Operation = "create" | "accept" | "subscribe" | "logs";

/** One request as it came in: headers in their original order and case, body byte for byte. */
export type SeenRequest = {
  at: number;
  method: string;
  target: string;
  operation: Operation | null;
  rawHeaders: readonly string[];
  body: Buffer;
  /** Status of the answer; null while it is open, or when no status line was ever sent. */
  answered: number | null;
  /** The fault kinds that were applied. */
  faults: string[];
};
