import type { SentLog } from "../../notifications/sent-log.ts";
import type { LogEntry } from "../answers/types.ts";
import type { LogFilter } from "../read-requests.ts";
import type { LogRules } from "./log-rules.ts";

export type Chosen = {
  /** The number of entries before the limit. */
  total: number;
  /** Built one by one while the answer is sent. */
  entries(): Iterable<LogEntry>;
};

const known = "TRANSACTION_STATUS_UPDATED";
const other = "QUOTATION_EXPIRED";
/** With `mixed-in`, an entry of another event type follows each group of this many. */
const knownPerOther = 5;

const shuffle = (ids: number[], random: () => number) => {
  for (let at = ids.length - 1; at > 0; at -= 1) {
    const with_ = Math.floor(random() * (at + 1));
    [ids[at], ids[with_]] = [ids[with_] ?? 0, ids[at] ?? 0];
  }
};

/** The entries that a query finds under the current rules. */
export const chooseEntries = (
  sentLog: SentLog,
  { startDate, endtDate, eventType }: LogFilter,
  rules: LogRules,
  deps: { now: number; lateMs: number; day: (at: number) => string; random: () => number },
): Chosen => {
  const { now, day } = deps;
  const dated = rules.ignore !== "dates" && rules.ignore !== "both";
  const typed = rules.ignore !== "event-type" && rules.ignore !== "both";
  const fits = (entryId: number): boolean => {
    const sentAt = sentLog.sentAt(entryId);
    if (sentAt + deps.lateMs > now) return false;
    if (!dated || (startDate === null && endtDate === null)) return true;
    const on = day(rules.by === "sending" ? sentAt : sentLog.createdAt(entryId));
    if (startDate !== null && on < startDate) return false;
    return endtDate === null || on < endtDate || (on === endtDate && rules.end === "inclusive");
  };

  const chosen: number[] = [];
  const [first, end] = typed && eventType !== null && eventType !== known ? [0, 0] : sentLog.range();
  for (let entryId = first; entryId < end; entryId += 1) if (fits(entryId)) chosen.push(entryId);
  if (rules.order === "newest") chosen.reverse();
  if (rules.order === "random") shuffle(chosen, deps.random);

  const perAttempt = rules.per === "attempt";
  const ofKnown = perAttempt
    ? chosen.reduce((sum, entryId) => sum + sentLog.attempts(entryId, now), 0)
    : chosen.length;
  const ofOther = rules.others === "mixed-in" ? Math.floor(chosen.length / knownPerOther) : 0;

  return {
    total: ofKnown + ofOther,
    *entries() {
      for (const [nth, entryId] of chosen.entries()) {
        const notification = sentLog.get(entryId, now);
        // Dropped from the log since the answer began.
        if (!notification) continue;
        const entry = { eventType: known, notification, sentAt: sentLog.sentAt(entryId), attempt: null };
        if (!perAttempt) yield entry;
        else
          for (const [made, { at, httpStatus }] of notification.attempts.entries())
            yield { ...entry, sentAt: at, attempt: { nth: made + 1, httpStatus } };
        if (ofOther > 0 && nth % knownPerOther === knownPerOther - 1)
          yield {
            ...entry,
            eventType: other,
            notification: { ...notification, transactionId: `quote-${entryId}`, status: "EXPIRED" },
          };
      }
    },
  };
};
