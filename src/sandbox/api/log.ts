import type { Answer } from "../runtime/answer.ts";
import { fail } from "../runtime/wrong-input.ts";
import type { Sent } from "../types.ts";
import { forms, withOffset, type LogEntry, type Stamp } from "./answers.ts";
import type { LogRules } from "./log-rules.ts";
import type { LogFilter } from "./read-requests.ts";

const ours = "TRANSACTION_STATUS_UPDATED";
/** Of no transaction, so that it reads as no notification. */
const other = "QUOTATION_EXPIRED";
/** With `mixed-in`, an entry of another event type follows each group of this many. */
const oursPerOther = 5;
const nextPage = "/corporate/v1/webhook/logs?page=2";
const pieceLength = 65_536;

const stamps: Record<LogRules["createdAt"], Stamp | undefined> = {
  same: undefined,
  "iso-seconds": (at) => `${new Date(at).toISOString().slice(0, 19)}Z`,
  offset: withOffset,
  "epoch-millis": (at) => at,
};

/** Which entries are asked for: by the instant of the change, and by that of the first attempt. */
export type Fits = (createdAt: number, sentAt: number) => boolean;

export type LogSource = {
  now: () => number;
  days: Record<LogRules["zone"], (at: number) => string>;
  scaled: (ms: number) => number;
  logRules: LogRules;
  /** What was sent until now, made one by one. */
  sent: (fits: Fits, newestFirst: boolean) => Iterable<Sent>;
};

const fitting = ({ startDate, endtDate }: LogFilter, { now, days, scaled, logRules }: LogSource): Fits => {
  const { ignore, zone, end, lateMs } = logRules;
  const visibleUntil = now() - scaled(lateMs);
  const isDated = ignore !== "dates" && ignore !== "both" && (startDate !== null || endtDate !== null);
  return (createdAt, sentAt) => {
    if (sentAt > visibleUntil) return false;
    if (!isDated) return true;
    const day = days[zone](createdAt);
    if (startDate !== null && day < startDate) return false;
    return endtDate === null || day < endtDate || (day === endtDate && end === "inclusive");
  };
};

function* entriesOf(all: Iterable<Sent>, { others, limit }: LogRules): Generator<LogEntry> {
  let nth = 0;
  let shown = 0;
  for (const sent of all) {
    nth += 1;
    const entryId = `ntf-${nth}`;
    yield { eventType: ours, sent, entryId };
    shown += 1;
    if (others === "mixed-in" && nth % oursPerOther === 0) {
      yield {
        eventType: other,
        sent: { ...sent, transactionId: "", status: "EXPIRED" },
        entryId,
      };
      shown += 1;
    }
    if (limit > 0 && shown >= limit) return;
  }
}

function* pieces(open: string, texts: Iterable<string>, close: string): Generator<string, undefined> {
  let piece = open;
  let separator = "";
  for (const text of texts) {
    piece += separator + text;
    separator = ",";
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield piece + close;
}

const isoStamp: Stamp = (at) => new Date(at).toISOString();

const count = (all: Iterable<unknown>): number => {
  let seen = 0;
  for (const each of all) seen += each === undefined ? 0 : 1;
  return seen;
};

function* together(first: string, second: string, rest: Iterable<string>): Generator<string> {
  yield first;
  yield second;
  yield* rest;
}

const marker = "@entries@";

/** Answers a query of the log, in pieces where it is long. */
export const answerLog = (filter: LogFilter, source: LogSource): Answer => {
  const { logRules: rules } = source;
  const { endtDate, eventType } = filter;
  if (rules.refuse === "future-end" && endtDate !== null && endtDate > source.days[rules.zone](source.now()))
    fail("endtDate must not lie in the future");
  const isTyped = rules.ignore !== "event-type" && rules.ignore !== "both";
  const isNone = isTyped && eventType !== null && eventType !== ours;
  const fits = fitting(filter, source);
  const all = (): Iterable<Sent> => (isNone ? [] : source.sent(fits, rules.order === "newest"));

  let total = 0;
  if (rules.limit > 0 || rules.hint === "total") total = count(entriesOf(all(), { ...rules, limit: 0 }));
  const isCut = rules.limit > 0 && rules.limit < total;
  const hints = {
    none: {},
    link: {},
    next: { next: isCut ? nextPage : null },
    "has-more": { hasMore: isCut },
    total: { total },
  }[rules.hint];
  const form = forms[rules.answers];
  const [open = "", close = ""] = JSON.stringify(form.log([marker], hints)).split(`"${marker}"`);
  const texts = function* () {
    const stamp = stamps[rules.createdAt] ?? (rules.answers === "nested" ? withOffset : isoStamp);
    for (const entry of entriesOf(all(), rules))
      for (const each of form.entries(entry, stamp)) yield JSON.stringify(each);
  };
  const body = pieces(open, texts(), close);
  const first = body.next().value ?? "";
  const second = body.next();
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      ...(rules.hint === "link" && { link: `<${nextPage}>; rel="${isCut ? "next" : "last"}"` }),
    },
    // One piece is sent with its length.
    body: second.done ? first : together(first, second.value, body),
  };
};
