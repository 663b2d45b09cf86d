import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import type { FetchLog, LogAnswer } from "../partner/types.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { datesOf, endsToTry, isFuture, isOutside, singleDays, type Dates, type Window } from "./period.ts";
import { readAnswer } from "./read-answer.ts";

export type AskOptions = {
  /** JSON pointers to the array of entries, and to the notification within an entry; null: they are looked for. */
  entriesPointer: string | null;
  notificationPointer: string | null;
  /** A larger entry is not read. */
  maxEntryBytes: number;
};

export type AskPorts = { fetchLog: FetchLog; clock: Pick<Clock, "now" | "monotonic" | "sleep"> };

/** What one reading of the log came to. */
export type Reading = {
  /** Whether any answer could be read at all; whether every one could, to its end. */
  isRead: boolean;
  isWhole: boolean;
  /** Of the largest answer: entries whose notifications were wanted, and entries that are not understood. */
  entries: number;
  unreadable: number;
  /** Why it does not show everything; empty when it does. */
  reasons: string[];
};

const EVENT_TYPE = "TRANSACTION_STATUS_UPDATED";
const TOO_LONG = "the partner asks to wait until after the next run";
/** However short a time the partner names. */
const LEAST_WAIT_MS = 1_000;
const OUTSIDE = "entries lie outside of the dates that were asked for";

/** What an answer that is no log means for the rest of the run. */
type Refusal = { again: "another end" | "later" | "by days" | "not in this run"; reason: string };

const refusalOf = ({ httpStatus }: LogAnswer): Refusal => {
  const reason = `the partner answered ${httpStatus}`;
  if (httpStatus === 400) return { again: "another end", reason };
  if (httpStatus === 429 || httpStatus === 503) return { again: "later", reason };
  // The request itself is refused, whatever its dates.
  if ([401, 403, 404, 405, 407].includes(httpStatus)) return { again: "not in this run", reason };
  return { again: "by days", reason };
};

/** Hears of a notification; says whether it is one of the window. */
export type Take = (notification: Notification) => boolean;

/** Asks the partner for its log. Until when the partner wants to be left alone is kept from run to run. */
export const asking = (
  { entriesPointer, notificationPointer, maxEntryBytes }: AskOptions,
  { fetchLog, clock }: AskPorts,
) => {
  /** How many of the ends to try were refused with 400 in this reading. */
  let refusedEnds = 0;
  /** On the monotonic clock. */
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  const get = async (dates: Dates, giveUpAt: number, signal: AbortSignal): Promise<LogAnswer | Refusal> => {
    for (;;) {
      if (notBeforeMs > giveUpAt) return { again: "not in this run", reason: TOO_LONG };
      await clock.sleep(Math.max(0, notBeforeMs - clock.monotonic()), signal);
      const answer = await fetchLog({ ...dates, eventType: EVENT_TYPE }, signal);
      if (answer.httpStatus >= 200 && answer.httpStatus < 300) return answer;
      const refusal = refusalOf(answer);
      if (refusal.again !== "later") return refusal;
      if (answer.retryAfterMs === null) return { ...refusal, again: "not in this run" };
      notBeforeMs = clock.monotonic() + Math.max(answer.retryAfterMs, LEAST_WAIT_MS);
    }
  };

  /** Tries other ends where the partner refuses one that lies in the future. */
  const getWithEnd = async (
    dates: Dates,
    giveUpAt: number,
    signal: AbortSignal,
  ): Promise<LogAnswer | Refusal> => {
    for (;;) {
      const tries = endsToTry(dates, clock.now());
      const answer = await get(tries[Math.min(refusedEnds, tries.length - 1)] ?? dates, giveUpAt, signal);
      const isRefused = "again" in answer && answer.again === "another end";
      if (!isRefused || refusedEnds + 1 >= tries.length) return answer;
      refusedEnds += 1;
    }
  };

  /** `isRefused`: so would be whatever is asked for next. `mayShowMore`: single days may show what this did not. */
  type Once = Reading & { isRefused: boolean; mayShowMore: boolean };
  const nothingRead = { isRead: false, isWhole: false, isRefused: false, entries: 0, unreadable: 0 };
  const readOnce = async (dates: Dates, take: Take, giveUpAt: number, signal: AbortSignal): Promise<Once> => {
    const shown = { taken: 0, wanted: 0, outside: 0 };
    try {
      const answer = await getWithEnd(dates, giveUpAt, signal);
      if ("again" in answer) {
        const isRefused = answer.again === "not in this run";
        return { ...nothingRead, isRefused, mayShowMore: !isRefused, reasons: [answer.reason] };
      }
      const read = await readAnswer(
        answer.body,
        { headers: answer.headers, entriesPointer, notificationPointer, maxElementBytes: maxEntryBytes },
        (notification) => {
          const occurredAt = occurredAtOf(notification.createdAt);
          if (occurredAt !== null && isOutside(dates, occurredAt)) shown.outside += 1;
          shown.taken += 1;
          if (take(notification)) shown.wanted += 1;
        },
      );
      const mayShowMore = read.mayShowMore || shown.outside > 0;
      return {
        isRead: true,
        isWhole: !mayShowMore && read.isUnderstood,
        isRefused: false,
        mayShowMore,
        entries: shown.wanted,
        unreadable: read.unreadable,
        reasons: shown.outside > 0 ? [...read.reasons, OUTSIDE] : read.reasons,
      };
    } catch (error) {
      signal.throwIfAborted();
      const reasons = [messageOf(error)];
      return { ...nothingRead, isRead: shown.taken > 0, mayShowMore: true, entries: shown.wanted, reasons };
    }
  };

  /**
   * Hands over every notification that the log shows of a window, and maybe of more; one may come several times. Where one answer does not show
   * everything, single days are asked for. Rejects only when `signal` aborts.
   * @param giveUpAt on the monotonic clock: for longer the partner cannot ask to wait
   */
  return async (
    window: Window,
    take: Take,
    { giveUpAt, signal }: { giveUpAt: number; signal: AbortSignal },
  ): Promise<Reading> => {
    refusedEnds = 0;
    const dates = datesOf(window);
    const whole = await readOnce(dates, take, giveUpAt, signal);
    if (!whole.mayShowMore) return whole;
    const parts: Once[] = [whole];
    const reasons = new Set<string>();
    let isWhole = true;
    for (const day of singleDays(dates)) {
      // Of a partner that refuses what lies in the future, the days that do are not asked for.
      if (refusedEnds > 0 && isFuture(day, clock.now())) continue;
      const part = await readOnce(day, take, giveUpAt, signal);
      parts.push(part);
      isWhole &&= part.isWhole;
      for (const reason of part.reasons) reasons.add(`${day.startDate}: ${reason}`);
      if (part.isRefused) break;
    }
    return {
      isRead: parts.some(({ isRead }) => isRead),
      isWhole,
      entries: Math.max(...parts.map(({ entries }) => entries)),
      unreadable: Math.max(...parts.map(({ unreadable }) => unreadable)),
      reasons: [...reasons],
    };
  };
};

export type Ask = ReturnType<typeof asking>;
