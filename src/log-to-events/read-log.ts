import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import type { FetchLog, LogAnswer } from "../partner/types.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import {
  datesAround,
  rangesToTry,
  isFuture,
  isOutside,
  singleDays,
  type DateRange,
  type Period,
} from "./period.ts";
import { readAnswer, type ReadOptions } from "./read-answer.ts";

export type LogReaderOptions = Pick<ReadOptions, "entriesPointer" | "notificationPointer"> & {
  /** A larger entry is unreadable. */
  maxEntryBytes: number;
};

export type LogReaderPorts = { fetchLog: FetchLog; clock: Pick<Clock, "now" | "monotonic" | "sleep"> };

/** The outcome of reading the log once, with one request or several. */
export type Reading = {
  /** Whether at least one answer could be read. */
  isRead: boolean;
  /**
   * Whether every answer could be read to its end, and their form is understood. A log of which all entries
   * say another event type is not: ours may have been taken for them.
   */
  isWhole: boolean;
  /** The entries of the period in the largest answer. */
  entries: number;
  /** The unreadable entries in the largest answer. */
  unreadable: number;
  /** Why the reading is incomplete, for people; empty when it is complete. */
  reasons: string[];
};

const EVENT_TYPE = "TRANSACTION_STATUS_UPDATED";
const TOO_LONG = "the partner asks to wait until after the next run";
/** The minimum wait after Retry-After. */
const MIN_WAIT_MS = 1_000;
const OUTSIDE = "entries lie outside of the dates that were asked for";

/** What to do after a status other than 2xx. */
type Refusal = { retry: "another end" | "later" | "by days" | "not in this run"; reason: string };

const refusalOf = ({ httpStatus }: LogAnswer): Refusal => {
  const reason = `the partner answered ${httpStatus}`;
  if (httpStatus === 400) return { retry: "another end", reason };
  if (httpStatus === 429 || httpStatus === 503) return { retry: "later", reason };
  // Other dates would be refused as well.
  if ([401, 403, 404, 405, 407].includes(httpStatus)) return { retry: "not in this run", reason };
  return { retry: "by days", reason };
};

/** Called for each notification; returns whether it is in the period. */
export type OnNotification = (notification: Notification) => boolean;

/** Reads the partner's log. A Retry-After of the partner holds for later readings as well. */
export const createLogReader = (
  { entriesPointer, notificationPointer, maxEntryBytes }: LogReaderOptions,
  { fetchLog, clock }: LogReaderPorts,
) => {
  /** How many of the ranges to try were refused with 400 in this reading. */
  let refusedEnds = 0;
  /** No request before this instant of the monotonic clock. */
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  const get = async (
    dates: DateRange,
    giveUpAt: number,
    signal: AbortSignal,
  ): Promise<LogAnswer | Refusal> => {
    for (;;) {
      if (notBeforeMs > giveUpAt) return { retry: "not in this run", reason: TOO_LONG };
      await clock.sleep(Math.max(0, notBeforeMs - clock.monotonic()), signal);
      const answer = await fetchLog({ ...dates, eventType: EVENT_TYPE }, signal);
      if (answer.httpStatus >= 200 && answer.httpStatus < 300) return answer;
      const refusal = refusalOf(answer);
      if (refusal.retry !== "later") return refusal;
      if (answer.retryAfterMs === null) return { ...refusal, retry: "not in this run" };
      notBeforeMs = clock.monotonic() + Math.max(answer.retryAfterMs, MIN_WAIT_MS);
    }
  };

  /** Tries an earlier end where the partner refuses one in the future. */
  const getWithEnd = async (
    dates: DateRange,
    giveUpAt: number,
    signal: AbortSignal,
  ): Promise<LogAnswer | Refusal> => {
    for (;;) {
      const tries = rangesToTry(dates, clock.now());
      const answer = await get(tries[Math.min(refusedEnds, tries.length - 1)] ?? dates, giveUpAt, signal);
      const isRefused = "retry" in answer && answer.retry === "another end";
      if (!isRefused || refusedEnds + 1 >= tries.length) return answer;
      refusedEnds += 1;
    }
  };

  /**
   * `isRefused`: any other request of this run would be refused too. `mayShowMore`: requests for single days
   * may show more entries. `notifications` also counts those outside the period.
   */
  type SingleReading = Reading & {
    isRefused: boolean;
    mayShowMore: boolean;
    notifications: number;
    otherType: number;
  };
  const nothingRead = {
    isRead: false,
    isWhole: false,
    isRefused: false,
    entries: 0,
    unreadable: 0,
    notifications: 0,
    otherType: 0,
  };
  const isOfOtherType = (parts: readonly SingleReading[]): boolean =>
    parts.some(({ otherType }) => otherType > 0) && parts.every(({ notifications }) => notifications === 0);
  const readOnce = async (
    dates: DateRange,
    onNotification: OnNotification,
    giveUpAt: number,
    signal: AbortSignal,
  ): Promise<SingleReading> => {
    const counts = { notifications: 0, inPeriod: 0, outsideDates: 0 };
    try {
      const answer = await getWithEnd(dates, giveUpAt, signal);
      if ("retry" in answer) {
        const isRefused = answer.retry === "not in this run";
        return { ...nothingRead, isRefused, mayShowMore: !isRefused, reasons: [answer.reason] };
      }
      const read = await readAnswer(
        answer.body,
        { ...answer, entriesPointer, notificationPointer, maxElementBytes: maxEntryBytes },
        (notification) => {
          const occurredAt = occurredAtOf(notification.createdAt);
          if (occurredAt !== null && isOutside(dates, occurredAt)) counts.outsideDates += 1;
          counts.notifications += 1;
          if (onNotification(notification)) counts.inPeriod += 1;
        },
      );
      const mayShowMore = read.mayShowMore || counts.outsideDates > 0;
      return {
        isRead: read.isRead,
        isWhole: !mayShowMore && read.isUnderstood,
        isRefused: false,
        mayShowMore,
        entries: counts.inPeriod,
        unreadable: read.unreadable,
        notifications: counts.notifications,
        otherType: read.otherType,
        reasons: counts.outsideDates > 0 ? [...read.reasons, OUTSIDE] : read.reasons,
      };
    } catch (error) {
      signal.throwIfAborted();
      const reasons = [messageOf(error)];
      const { notifications, inPeriod: entries } = counts;
      const isRead = notifications > 0;
      return { ...nothingRead, isRead, mayShowMore: true, entries, notifications, reasons };
    }
  };

  /**
   * Calls `onNotification` for every notification of a period in the log, perhaps several times for one, and
   * perhaps for notifications outside the period. Asks for single days where one answer does not show
   * everything. Rejects only when `signal` aborts.
   * @param giveUpAt the latest instant of the monotonic clock for which a Retry-After is waited
   */
  return async (
    period: Period,
    onNotification: OnNotification,
    { giveUpAt, signal }: { giveUpAt: number; signal: AbortSignal },
  ): Promise<Reading> => {
    refusedEnds = 0;
    const dates = datesAround(period);
    const whole = await readOnce(dates, onNotification, giveUpAt, signal);
    if (!whole.mayShowMore) return { ...whole, isWhole: whole.isWhole && !isOfOtherType([whole]) };
    const parts: SingleReading[] = [whole];
    const reasons = new Set<string>();
    let isWhole = true;
    for (const day of singleDays(dates)) {
      // A partner that refuses an end in the future is not asked for days in the future.
      if (refusedEnds > 0 && isFuture(day, clock.now())) continue;
      const part = await readOnce(day, onNotification, giveUpAt, signal);
      parts.push(part);
      isWhole &&= part.isWhole;
      for (const reason of part.reasons) reasons.add(`${day.startDate}: ${reason}`);
      if (part.isRefused) break;
    }
    return {
      isRead: parts.some(({ isRead }) => isRead),
      isWhole: isWhole && !isOfOtherType(parts),
      entries: Math.max(...parts.map(({ entries }) => entries)),
      unreadable: Math.max(...parts.map(({ unreadable }) => unreadable)),
      reasons: [...reasons],
    };
  };
};
