import type { Answer } from "../runtime/answer.ts";
import { days } from "../runtime/calendar.ts";
import { choiceIn, fail, fieldsFrom, numberIn } from "../runtime/wrong-input.ts";
import type { Sent } from "../types.ts";
import { formNames, forms, iso, withOffset, type LogEntry, type Stamp } from "./answers.ts";
import type { LogFilter } from "./read-requests.ts";

/** What the specification does not say about the log, and the choices for each; the first one is the default. */
const logChoices = {
  answers: formNames,
  /** How instants are written: as in webhooks, or otherwise. */
  createdAt: ["same", "iso-seconds", "offset", "epoch-millis"],
  /** Whose days the two dates are. */
  zone: ["sao-paulo", "utc"],
  /** Whether the last day belongs to the period. */
  end: ["inclusive", "exclusive"],
  /** Which periods get a 400. */
  refuse: ["nothing", "future-end"],
  /** What of the query is ignored. */
  ignore: ["nothing", "dates", "event-type", "both"],
  /** Entries of another event type. */
  others: ["absent", "mixed-in"],
  order: ["oldest", "newest"],
  /** How the answer tells of more entries. */
  hint: ["none", "next", "has-more", "total", "link"],
} as const;

type Choices = { [Name in keyof typeof logChoices]: (typeof logChoices)[Name][number] };

type LogRules = Choices & {
  /** How long after its first attempt an entry appears, in milliseconds of the partner's time. */
  lateMs: number;
  /** How many notifications an answer shows at most; 0: no limit. */
  limit: number;
};

const choicesBy = (choose: (name: keyof Choices, names: readonly string[]) => string): Choices =>
  Object.fromEntries(
    Object.entries(logChoices).map(([name, names]) => [name, choose(name as keyof Choices, names)]),
  ) as Choices;

export const defaultLogRules: LogRules = { ...choicesBy((_, [first = ""]) => first), lateMs: 0, limit: 0 };

/** The rules with some changes. Throws a WrongInput for an unknown rule or value. */
export const changedLogRules = (before: LogRules, changes: unknown): LogRules => {
  const fields = fieldsFrom(changes, Object.keys(defaultLogRules));
  return {
    ...choicesBy((name, names) => choiceIn(fields, name, names, before[name])),
    lateMs: numberIn(fields, "lateMs", before.lateMs, 0, 365 * 86_400_000),
    limit: Math.trunc(numberIn(fields, "limit", before.limit, 0, 1e9)),
  };
};

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
type Fits = (createdAt: number, sentAt: number) => boolean;

export type LogSource = {
  now: () => number;
  scaled: (ms: number) => number;
  logRules: LogRules;
  /** What was sent until now, made one by one. */
  sent: (fits: Fits, newestFirst: boolean) => Iterable<Sent>;
};

const fitting = ({ startDate, endtDate }: LogFilter, { now, scaled, logRules }: LogSource): Fits => {
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
      yield { eventType: other, sent: { ...sent, transactionId: "", status: "EXPIRED" }, entryId };
      shown += 1;
    }
    if (limit > 0 && shown >= limit) return;
  }
}

function* pieces(open: string, texts: Iterable<string>, close: string): Generator<string> {
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

const count = (all: Iterator<unknown>): number => {
  let total = 0;
  while (!all.next().done) total += 1;
  return total;
};

const marker = "@entries@";

/** Answers a query of the log, in pieces: it may be long. */
export const answerLog = (filter: LogFilter, source: LogSource): Answer => {
  const { logRules: rules } = source;
  const { endtDate, eventType } = filter;
  if (rules.refuse === "future-end" && endtDate !== null && endtDate > days[rules.zone](source.now()))
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
    const stamp = stamps[rules.createdAt] ?? (rules.answers === "nested" ? withOffset : iso);
    for (const entry of entriesOf(all(), rules))
      for (const each of form.entries(entry, stamp)) yield JSON.stringify(each);
  };
  const link = `<${nextPage}>; rel="${isCut ? "next" : "last"}"`;
  const headers = { "content-type": "application/json", ...(rules.hint === "link" && { link }) };
  return { status: 200, headers, body: pieces(open, texts(), close) };
};
