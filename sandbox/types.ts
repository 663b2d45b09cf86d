/** Types that several rooms share. Every instant is milliseconds since the Unix epoch on the sandbox's clock. */

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
  /** How many accepts of this quote were executed. More than one is the error that the bridge must never cause. */
  executions: number;
  acceptedAt: number | null;
  accept: AcceptRequest | null;
  transactionIds: string[];
};

type StatusChange = { status: string; createdAt: number };

/** A change that subscribers are notified of. */
export type Change = StatusChange & { transactionId: string };

export type Transaction = {
  transactionId: string;
  quoteId: string | null;
  direction: Direction;
  walk: string;
  /** The statuses reached so far, oldest first; the last one is the current one. */
  statuses: StatusChange[];
};

export type Subscription = { subscriptionId: string; url: string; events: string[]; createdAt: number };

type Attempt = { dueAt: number; startedAt: number; httpStatus: number | null; error: string | null };

/** A notification to one URL, with its attempts, oldest first. */
export type Sent = Change & {
  url: string;
  state: "pending" | "delivered" | "failed" | "dropped";
  attempts: readonly Attempt[];
};

export type Delivery = Sent & {
  deliveryId: string;
  /** The JSON text that is posted. */
  body: string;
  /** A copy that the partner's log does not show. */
  duplicate: boolean;
  attempts: Attempt[];
  nextAttemptAt: number | null;
};

/** How the log shows a lost notification: as five failed attempts, or as delivered. */
export type LostAs = "failed" | "delivered";

export type Operation = "create" | "accept" | "subscribe" | "logs";

/** A request as received: headers in their original order and case, body byte for byte. */
export type RecordedRequest = {
  at: number;
  method: string;
  target: string;
  operation: Operation | null;
  rawHeaders: readonly string[];
  body: Buffer;
  /** The status of the answer; null before it is sent, and when a fault sends none. */
  answered: number | null;
  /** The kinds of the faults that were applied. */
  faults: string[];
};
