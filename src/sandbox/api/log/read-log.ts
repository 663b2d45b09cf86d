import type { SentLog } from "../../notifications/sent-log.ts";
import type { Answer } from "../../runtime/answer.ts";
import { fail } from "../../runtime/wrong-input.ts";
import { formatInstant } from "../answers/created-at.ts";
import { profiles } from "../answers/profiles.ts";
import type { AnswersProfile, LogEntry, LogForm, Stamp } from "../answers/types.ts";
import type { LogFilter } from "../read-requests.ts";
import { chooseEntries } from "./choose-entries.ts";
import type { LogRules } from "./log-rules.ts";

export type LogResponder = {
  rules: LogRules;
  read(filter: LogFilter): Answer;
};

export type LogResponderDeps = {
  rules: LogRules;
  sentLog: SentLog;
  /** The profile of the webhooks. */
  profile: AnswersProfile;
  stamp: Stamp;
  now: () => number;
  days: Record<LogRules["zone"], (at: number) => string>;
  scaled: (ms: number) => number;
  random: () => number;
};

const csvHead = "eventType;createdAt;status;transactionId";
const csvLine = ({ eventType, notification }: LogEntry, stamp: Stamp): string =>
  [eventType, stamp(notification.createdAt), notification.status, notification.transactionId].join(";");

const jsonEntry = (
  entry: LogEntry,
  form: LogForm,
  rules: LogRules,
  { profile, stamp }: { profile: AnswersProfile; stamp: Stamp },
): string => {
  const { transactionId, status, createdAt } = entry.notification;
  const about = form.entryFields(entry, stamp);
  if (rules.notification === "flat" || (rules.notification === "usual" && !form.nestsByDefault)) {
    const dated = rules.dated === "sending" ? entry.sentAt : createdAt;
    return JSON.stringify({
      ...about,
      ...form.flatFields({ transactionId, status, createdAt: dated }, stamp),
    });
  }
  const payload = profile.notification({ transactionId, status, createdAt }, stamp);
  const notification = rules.notification === "text" ? JSON.stringify(payload) : payload;
  // The entry's createdAt is its sending time, not that of the notification.
  return JSON.stringify({ ...about, createdAt: stamp(entry.sentAt), [form.notificationField]: notification });
};

const hintsOf = (hint: LogRules["hint"], isCut: boolean, total: number): Record<string, unknown> => {
  switch (hint) {
    case "next":
      return { next: isCut ? nextPage : null };
    case "has-more":
      return { hasMore: isCut };
    case "total":
      return { total };
    case "none":
    case "link":
      return {};
  }
};

const nextPage = "/corporate/v1/webhook/logs?page=2";
const pieceLength = 65_536;
/** An answer with more entries is sent in pieces, without a content-length. */
const entriesAtOnce = 1000;

function* pieces(open: string, texts: Iterable<string>, separator: string, close: string): Generator<string> {
  let piece = open;
  let isFirst = true;
  for (const text of texts) {
    piece += isFirst ? text : separator + text;
    isFirst = false;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield piece + close;
}

function* texts(entries: Iterable<LogEntry>, limit: number, textOf: (entry: LogEntry) => string) {
  let left = limit;
  for (const entry of entries) {
    if (left <= 0) return;
    left -= 1;
    yield textOf(entry);
  }
}

const marker = "@entries@";

/** Answers queries of the log. The rules can be changed at any time. */
export const createLogResponder = (deps: LogResponderDeps): LogResponder => {
  const refuse = (
    { startDate, endtDate }: LogFilter,
    { refuse: what }: LogRules,
    day: (at: number) => string,
  ) => {
    if ((what === "one-date" || what === "both") && (startDate === null) !== (endtDate === null))
      fail("startDate and endtDate go together");
    if ((what === "future-end" || what === "both") && endtDate !== null && endtDate > day(deps.now()))
      fail("endtDate must not lie in the future");
  };

  const reader: LogResponder = {
    rules: deps.rules,
    read: (filter) => {
      const { rules } = reader;
      const day = deps.days[rules.zone];
      refuse(filter, rules, day);
      const chosen = chooseEntries(deps.sentLog, filter, rules, {
        now: deps.now(),
        lateMs: deps.scaled(rules.lateMs),
        day,
        random: deps.random,
      });
      const { total } = chosen;
      const { createdAt } = rules;
      const stamp: Stamp = createdAt === "same" ? deps.stamp : (at) => formatInstant(createdAt, at);
      const form = rules.answers === "same" ? deps.profile.log : profiles[rules.answers].log;
      const count = rules.limit > 0 ? Math.min(rules.limit, total) : total;
      const isCut = count < total;
      if (form !== "csv" && form.emptyAnswer && total === 0) return form.emptyAnswer();

      const textOf = (entry: LogEntry) =>
        form === "csv"
          ? csvLine(entry, stamp)
          : jsonEntry(entry, form, rules, { profile: deps.profile, stamp });
      const [open = "", close = ""] =
        form === "csv"
          ? [`${csvHead}\n`]
          : JSON.stringify(form.envelope([marker], hintsOf(rules.hint, isCut, total), count)).split(
              `"${marker}"`,
            );
      const body = pieces(open, texts(chosen.entries(), count, textOf), form === "csv" ? "\n" : ",", close);
      return {
        status: 200,
        headers: {
          "content-type": form === "csv" ? "text/csv; charset=utf-8" : "application/json",
          ...(rules.hint === "link" && { link: `<${nextPage}>; rel="${isCut ? "next" : "last"}"` }),
        },
        body: count > entriesAtOnce ? body : [...body].join(""),
      };
    },
  };
  return reader;
};
