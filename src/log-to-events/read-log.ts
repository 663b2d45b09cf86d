import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import type { FetchLog, LogAnswer } from "../partner/types.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { datesAround, isFuture, isOutside, rangesToTry, singleDays } from "./period.ts";
import type { DateRange, Period } from "./period.ts";
import { readAnswer, SeveralArrays, type AnswerForm } from "./read-answer.ts";

export type LogReaderPorts = { fetchLog: FetchLog; clock: Pick<Clock, "now" | "monotonic" | "sleep"> };

/** What became of one request, or of several together. */
export type Reading = {
  /** Whether at least one answer could be read. */
  isRead: boolean;
  /** Whether every answer could be read to its end. */
  isWhole: boolean;
  /** Of the largest answer: entries of the period, those that are not understood, and those about other events. */
  entries: number;
  unreadable: number;
  otherType: number;
  /** Why the reading is incomplete, for people; empty when it is complete. */
  reasons: string[];
};

const EVENT_TYPE = "TRANSACTION_STATUS_UPDATED";
const TOO_LONG = "the partner asks to wait until after the next run";
/** The minimum wait after Retry-After. */
const MIN_WAIT_MS = 1_000;
const OUTSIDE = "entries lie outside of the dates that were asked for";

/** Statuses after which other dates would be refused as well. */
const FINAL_STATUSES = [401, 403, 404, 405, 407, 429, 503];

/** No answer. `isFinal`: to no other request in this run, either. */
type Refusal = { isFinal: boolean; reason: string };

/** Called for each notification; returns whether it is in the period. */
export type OnNotification = (notification: Notification) => boolean;

/** `giveUpAt`: the latest instant of the monotonic clock for which a Retry-After is waited. */
type Until = { giveUpAt: number; signal: AbortSignal };

/** `mayShowMore`: requests for single days may show more. */
type Answered = Reading & { mayShowMore: boolean; isFinal: boolean };

export const UNREAD: Reading = {
  isRead: false,
  isWhole: false,
  entries: 0,
  unreadable: 0,
  otherType: 0,
  reasons: [],
};

/** Reads the partner's log. A Retry-After of the partner holds for later readings as well. */
export const createLogReader = (form: AnswerForm, { fetchLog, clock }: LogReaderPorts) => {
  /** How many of the ranges to try were refused with 400 in this reading. */
  let refusedEnds = 0;
  /** No request before this instant of the monotonic clock. */
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  const get = async (dates: DateRange, { giveUpAt, signal }: Until): Promise<LogAnswer | Refusal> => {
    for (;;) {
      if (notBeforeMs > giveUpAt) return { isFinal: true, reason: TOO_LONG };
      await clock.sleep(Math.max(0, notBeforeMs - clock.monotonic()), signal);
      // Where the partner refuses an end in the future, an earlier one is tried.
      const ends = rangesToTry(dates, clock.now());
      const range = ends[Math.min(refusedEnds, ends.length - 1)] ?? dates;
      const answer = await fetchLog({ ...range, eventType: EVENT_TYPE }, signal);
      const { httpStatus, retryAfterMs } = answer;
      if (httpStatus >= 200 && httpStatus < 300) return answer;
      if (httpStatus === 400 && refusedEnds + 1 < ends.length) refusedEnds += 1;
      else if ((httpStatus === 429 || httpStatus === 503) && retryAfterMs !== null)
        notBeforeMs = clock.monotonic() + Math.max(retryAfterMs, MIN_WAIT_MS);
      else
        return { isFinal: FINAL_STATUSES.includes(httpStatus), reason: `the partner answered ${httpStatus}` };
    }
  };

  const readOnce = async (
    dates: DateRange,
    onNotification: OnNotification,
    until: Until,
  ): Promise<Answered> => {
    let inPeriod = 0;
    let outside = 0;
    const take = (notification: Notification): void => {
      const occurredAt = occurredAtOf(notification.createdAt);
      if (occurredAt !== null && isOutside(dates, occurredAt)) outside += 1;
      if (onNotification(notification)) inPeriod += 1;
    };
    try {
      const answer = await get(dates, until);
      if ("isFinal" in answer) {
        const { isFinal, reason } = answer;
        return { ...UNREAD, isFinal, mayShowMore: !isFinal, reasons: [reason] };
      }
      const { isUnderstood, reasons, ...read } = await readAnswer(answer.body, form, answer, take);
      return {
        ...read,
        isRead: isUnderstood,
        isWhole: isUnderstood && !read.mayShowMore && outside === 0,
        isFinal: false,
        entries: inPeriod,
        reasons: outside > 0 ? [...reasons, OUTSIDE] : reasons,
      };
    } catch (error) {
      until.signal.throwIfAborted();
      if (error instanceof SeveralArrays) throw error;
      const failed = { isRead: inPeriod > 0, entries: inPeriod, reasons: [messageOf(error)] };
      return { ...UNREAD, ...failed, isFinal: false, mayShowMore: true };
    }
  };

  /**
   * Calls `onNotification` for every notification of a period in the log, perhaps several times, and perhaps for some
   * outside of it. Asks for single days where one answer may hide some. Rejects on abort, and with SeveralArrays.
   */
  return async (period: Period, onNotification: OnNotification, until: Until): Promise<Reading> => {
    refusedEnds = 0;
    const dates = datesAround(period);
    const whole = await readOnce(dates, onNotification, until);
    if (!whole.mayShowMore) return whole;
    const days: Answered[] = [];
    const reasons = new Set<string>();
    for (const day of singleDays(dates)) {
      // A partner that refuses an end in the future is not asked for days in the future.
      if (refusedEnds > 0 && isFuture(day, clock.now())) continue;
      const part = await readOnce(day, onNotification, until);
      days.push(part);
      for (const reason of part.reasons) reasons.add(`${day.startDate}: ${reason}`);
      if (part.isFinal) break;
    }
    const most = (count: (part: Answered) => number): number => Math.max(...[whole, ...days].map(count));
    return {
      isRead: [whole, ...days].some(({ isRead }) => isRead),
      isWhole: days.every(({ isWhole }) => isWhole),
      entries: most(({ entries }) => entries),
      unreadable: most(({ unreadable }) => unreadable),
      otherType: most(({ otherType }) => otherType),
      reasons: [...reasons],
    };
  };
};
