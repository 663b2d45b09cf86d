import type { Notification } from "../notification/notification.ts";
import { occurredAtOf } from "../notification/occurred-at.ts";
import type { FetchLog } from "../partner/types.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { datesAround, earlierRanges, isFuture, isOutside, singleDays } from "./period.ts";
import type { DateRange, Period } from "./period.ts";
import { readAnswer, type AnswerForm, type AnswerSummary } from "./read-answer.ts";
import { SeveralArrays } from "./split-answer.ts";

export type LogReaderPorts = { fetchLog: FetchLog; clock: Pick<Clock, "now" | "monotonic" | "sleep"> };

/** The counts are those of the largest answers. `isWhole`: all entries of the dates, no others. `refusal`: a status. */
type PartnerLogReading = AnswerSummary & { isWhole: boolean; refusal: number | null };

const EVENT_TYPE = "TRANSACTION_STATUS_UPDATED";
/** How long a reading waits where the partner asks for it. */
const PATIENCE_MS = 600_000;
/** The minimum wait after Retry-After. */
const MIN_WAIT_MS = 1_000;

const TOO_LONG = "the partner asks to wait for too long";
const OUTSIDE = "entries lie outside of the dates that were asked for";

/** Statuses after which other dates would be refused as well. */
const FINAL_STATUSES = [401, 403, 404, 405, 407, 429, 503];

type ReaderCall = {
  /** Called for each notification; returns whether it is in the period. */
  onNotification: (notification: Notification) => boolean;
  signal: AbortSignal;
};

export const UNREAD: PartnerLogReading = {
  entries: 0,
  otherType: 0,
  unreadable: 0,
  reasons: [],
  mayShowMore: true,
  isUnderstood: false,
  isWhole: false,
  refusal: null,
};

const refused = (refusal: number, reason = `the partner answered ${refusal}`): PartnerLogReading => ({
  ...UNREAD,
  reasons: [reason],
  mayShowMore: !FINAL_STATUSES.includes(refusal),
  refusal,
});

/** Reads the partner's log. A Retry-After of the partner holds for later readings as well. */
export const createPartnerLogReader = (form: AnswerForm, { fetchLog, clock }: LogReaderPorts) => {
  /** No request begins before this instant of the monotonic clock. */
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  /** Asks again where the partner asks to wait; returns null where that is for too long. */
  const ask = async (dates: DateRange, giveUpAtMs: number, signal: AbortSignal) => {
    while (notBeforeMs <= giveUpAtMs) {
      await clock.sleep(Math.max(0, notBeforeMs - clock.monotonic()), signal);
      const answer = await fetchLog({ ...dates, eventType: EVENT_TYPE }, signal);
      const { httpStatus, retryAfterMs } = answer;
      if (retryAfterMs === null || (httpStatus !== 429 && httpStatus !== 503)) return answer;
      notBeforeMs = clock.monotonic() + Math.max(retryAfterMs, MIN_WAIT_MS);
    }
    return null;
  };

  const readOnce = async (
    dates: DateRange,
    giveUpAtMs: number,
    { onNotification, signal }: ReaderCall,
  ): Promise<PartnerLogReading> => {
    let entries = 0;
    let outside = 0;
    const count = (notification: Notification): void => {
      const occurredAt = occurredAtOf(notification.createdAt);
      if (occurredAt !== null && isOutside(dates, occurredAt)) outside += 1;
      if (onNotification(notification)) entries += 1;
    };
    try {
      const answer = await ask(dates, giveUpAtMs, signal);
      if (answer === null) return refused(429, TOO_LONG);
      if (answer.httpStatus < 200 || answer.httpStatus >= 300) return refused(answer.httpStatus);
      const summary = await readAnswer(answer, form, count);
      if (outside > 0) summary.reasons.push(OUTSIDE);
      const isWhole = summary.isUnderstood && !summary.mayShowMore && outside === 0;
      return { ...summary, entries, isWhole, refusal: null };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SeveralArrays) throw error;
      return { ...UNREAD, isUnderstood: entries > 0, entries, reasons: [messageOf(error)] };
    }
  };

  /** Gives each notification of a period, perhaps repeatedly, and others. Rejects on abort, and with SeveralArrays. */
  return async (period: Period, call: ReaderCall): Promise<PartnerLogReading> => {
    const giveUpAtMs = clock.monotonic() + PATIENCE_MS;
    /** Tries earlier ends where the partner refuses one in the future. */
    const read = async (dates: DateRange): Promise<PartnerLogReading> => {
      let reading = await readOnce(dates, giveUpAtMs, call);
      for (const earlier of earlierRanges(dates, clock.now()))
        if (reading.refusal === 400) reading = await readOnce(earlier, giveUpAtMs, call);
      return reading;
    };

    const dates = datesAround(period);
    const periodReading = await read(dates);
    if (!periodReading.mayShowMore) return periodReading;
    const days: PartnerLogReading[] = [];
    for (const day of singleDays(dates)) {
      const reading = await read(day);
      if (reading.refusal === 400 && isFuture(day, clock.now())) continue;
      days.push({ ...reading, reasons: reading.reasons.map((reason) => `${day.startDate}: ${reason}`) });
      if (!reading.mayShowMore && reading.refusal !== null) break;
    }
    if (days.length === 0) return periodReading;
    const readings = [periodReading, ...days];
    return {
      entries: Math.max(...readings.map(({ entries }) => entries)),
      otherType: Math.max(...readings.map(({ otherType }) => otherType)),
      unreadable: Math.max(...readings.map(({ unreadable }) => unreadable)),
      reasons: days.flatMap(({ reasons }) => reasons),
      mayShowMore: days.some((day) => day.mayShowMore),
      isUnderstood: readings.some(({ isUnderstood }) => isUnderstood),
      isWhole: days.every(({ isWhole }) => isWhole),
      refusal: null,
    };
  };
};
