import type { Walk } from "./transactions/walks.ts";
import type { QuoteRequest } from "./types.ts";

/** A scenario: the quotes that it creates, whether it accepts them, and the faults that it installs. */
export type Story = {
  about: string;
  /** The walk of every transaction, including those of other clients. */
  walk: Walk;
  quotes: readonly QuoteRequest[];
  /** Whether the story accepts its quotes, or leaves that to a client. */
  accepts: boolean;
  /** In the form of POST /_sandbox/faults. */
  faults: readonly Record<string, unknown>[];
};

const outbound: QuoteRequest = {
  direction: "OUTBOUND",
  purpose: "COMEX",
  quotedAmount: "1000.00",
  baseCurrencyIso: "USD",
  quotedCurrencyIso: "BRL",
};

const inbound: QuoteRequest = {
  ...outbound,
  direction: "INBOUND",
  baseCurrencyIso: "BRL",
  quotedCurrencyIso: "USD",
};

const times = (count: number, quote: QuoteRequest): QuoteRequest[] =>
  Array.from({ length: count }, () => quote);

export const stories = {
  "happy-outbound": {
    about: "one transfer to a beneficiary abroad reaches TRANSACTION_COMPLETED",
    walk: "main",
    quotes: [outbound],
    accepts: true,
    faults: [],
  },
  inbound: {
    about: "money from abroad reaches the Brazilian bank account",
    walk: "main",
    quotes: [inbound],
    accepts: true,
    faults: [],
  },
  refund: {
    about: "a paid transfer is canceled and its amount returned",
    walk: "refunded",
    quotes: [outbound],
    accepts: true,
    faults: [],
  },
  "lost-webhooks": {
    about: "ten transfers, of whose notifications about a third are never sent and stand in the log alone",
    walk: "main",
    quotes: times(10, outbound),
    accepts: true,
    faults: [{ operation: "notification", kind: "drop", probability: 0.33 }],
  },
  "flaky-accepts": {
    about: "ten open quotes for a client to accept, while accepts fail before and after they are executed",
    walk: "main",
    quotes: times(10, outbound),
    accepts: false,
    faults: [
      { operation: "accept", kind: "status", status: 503, when: "before", probability: 0.2 },
      { operation: "accept", kind: "status", status: 503, when: "after", probability: 0.2 },
      { operation: "accept", kind: "reset", when: "after", probability: 0.2 },
      { operation: "accept", kind: "throttle", retryAfter: "1", probability: 0.2 },
    ],
  },
} as const satisfies Record<string, Story>;

export type StoryName = keyof typeof stories;

export const storyNames = Object.keys(stories) as StoryName[];
