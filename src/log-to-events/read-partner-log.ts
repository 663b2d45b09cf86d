import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import type { FetchLog, LogAnswer } from "../partner/types.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { datesAround, earlierRanges, isFuture, isOutside, singleDays } from "./period.ts";
import type { DateRange, Period } from "./period.ts";
import { readAnswer, SeveralArrays, type AnswerForm } from "./read-answer.ts";

export type LogReaderPorts = { fetchLog: FetchLog; clock: Pick<Clock, "now" | "monotonic" | "sleep"> };

/** What became of one request, or of several together. */
type PartnerLogReading = {
  /** Whether at least one answer could be read. */
  isRead: boolean;
  /** Whether every answer could be read to its end. */
  isWhole: boolean;
  /** How many entries of the period the largest answer has; the next two count its other entries. */
  entries: number;
  unreadable: number;
  otherType: number;
  /** Why the reading is incomplete, for people; empty when it is complete. */
  reasons: string[];
};

const EVENT_TYPE = "TRANSACTION_STATUS_UPDATED";
/** How long a reading waits where the partner asks for it. */
const PATIENCE_MS = 600_000;
const TOO_LONG = "the partner asks to wait for too long";
/** The minimum wait after Retry-After. */
const MIN_WAIT_MS = 1_000;
const OUTSIDE = "entries lie outside of the dates that were asked for";

/** Statuses after which other dates would be refused as well. */
const FINAL_STATUSES = [401, 403, 404, 405, 407, 429, 503];

class Refused extends Error {
  readonly httpStatus: number;
  constructor(httpStatus: number, message = `the partner answered ${httpStatus}`) {
    super(message);
    this.httpStatus = httpStatus;
  }
}

type ReaderCall = {
  /** Called for each notification; returns whether it is in the period. */
  onNotification: (notification: Notification) => boolean;
  signal: AbortSignal;
};

type OneReading = PartnerLogReading & {
  /** Whether requests for single days may show more. */
  mayShowMore: boolean;
  /** The status of a refusal. */
  refusal: number | null;
};

export const UNREAD: PartnerLogReading = {
  isRead: false,
  isWhole: false,
  entries: 0,
  unreadable: 0,
  otherType: 0,
  reasons: [],
};

/** Reads the partner's log. A Retry-After of the partner holds for later readings as well. */
export const createPartnerLogReader = (form: AnswerForm, { fetchLog, clock }: LogReaderPorts) => {
  /** No request begins before this instant of the monotonic clock. */
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  /** The current reading waits until this instant. */
  let giveUpAt = 0;

  const get = async (dates: DateRange, signal: AbortSignal): Promise<LogAnswer> => {
    for (;;) {
      if (notBeforeMs > giveUpAt) throw new Refused(429, TOO_LONG);
      await clock.sleep(Math.max(0, notBeforeMs - clock.monotonic()), signal);
      const answer = await fetchLog({ ...dates, eventType: EVENT_TYPE }, signal);
      const { httpStatus, retryAfterMs } = answer;
      if (httpStatus >= 200 && httpStatus < 300) return answer;
      const isBusy = httpStatus === 429 || httpStatus === 503;
      if (!isBusy || retryAfterMs === null) throw new Refused(httpStatus);
      notBeforeMs = clock.monotonic() + Math.max(retryAfterMs, MIN_WAIT_MS);
    }
  };

  const readOnce = async (dates: DateRange, { onNotification, signal }: ReaderCall): Promise<OneReading> => {
    let entries = 0;
    let outside = 0;
    const count = (notification: Notification): void => {
      const occurredAt = occurredAtOf(notification.createdAt);
      if (occurredAt !== null && isOutside(dates, occurredAt)) outside += 1;
      if (onNotification(notification)) entries += 1;
    };
    try {
      const answer = await get(dates, signal);
      const { isUnderstood, reasons, ...summary } = await readAnswer(answer.body, form, answer, count);
      const isWhole = isUnderstood && !summary.mayShowMore && outside === 0;
      if (outside > 0) reasons.push(OUTSIDE);
      return { ...summary, isRead: isUnderstood, isWhole, refusal: null, entries, reasons };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SeveralArrays) throw error;
      const refusal = error instanceof Refused ? error.httpStatus : null;
      const mayShowMore = refusal === null || !FINAL_STATUSES.includes(refusal);
      return { ...UNREAD, isRead: entries > 0, entries, reasons: [messageOf(error)], refusal, mayShowMore };
    }
  };

  /** Tries earlier ends where the partner refuses one in the future. */
  const read = async (dates: DateRange, call: ReaderCall): Promise<OneReading> => {
    let reading = await readOnce(dates, call);
    for (const earlier of earlierRanges(dates, clock.now())) {
      if (reading.refusal !== 400) break;
      reading = await readOnce(earlier, call);
    }
    return reading;
  };

  /**
   * Calls `onNotification` for every notification of a period in the log, perhaps several times, and perhaps for some
   * outside of it. Asks for single days where one answer may hide some. Rejects on abort, and with SeveralArrays.
   */
  return async (period: Period, call: ReaderCall): Promise<PartnerLogReading> => {
    giveUpAt = clock.monotonic() + PATIENCE_MS;
    const dates = datesAround(period);
    const whole = await read(dates, call);
    if (!whole.mayShowMore) return whole;
    const days: OneReading[] = [];
    const datesByReason = new Map<string, string[]>();
    for (const day of singleDays(dates)) {
      const reading = await read(day, call);
      if (reading.refusal === 400 && isFuture(day, clock.now())) continue;
      days.push(reading);
      for (const reason of reading.reasons)
        datesByReason.set(reason, [...(datesByReason.get(reason) ?? []), day.startDate]);
      if (!reading.mayShowMore && reading.refusal !== null) break;
    }
    if (days.length === 0) return whole;
    const all = [whole, ...days];
    const most = (count: "entries" | "unreadable" | "otherType"): number =>
      Math.max(...all.map((reading) => reading[count]));
    return {
      isRead: all.some(({ isRead }) => isRead),
      isWhole: days.every(({ isWhole }) => isWhole),
      entries: most("entries"),
      unreadable: most("unreadable"),
      otherType: most("otherType"),
      reasons: [...datesByReason].map(([reason, dates]) => `${dates.join(", ")}: ${reason}`),
    };
  };
};
