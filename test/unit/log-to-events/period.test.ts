import { expect, test } from "vitest";
import {
  datesAround,
  earlierRanges,
  isOutside,
  singleDays,
  periodOfDays,
} from "../../../src/log-to-events/period.ts";

const at = (text: string): number => Date.parse(text);
const HOUR_MS = 3_600_000;
const zones = Array.from({ length: 27 }, (_, index) => index - 12);
const dateWith = (hours: number, ms: number): string =>
  new Date(ms + hours * HOUR_MS).toISOString().slice(0, 10);

test.each(zones)(
  "the dates of a window: UTC%i loses no instant, whichever ends are left out, asked at once or by single days",
  (zone) => {
    const window = { fromMs: at("2026-11-20T03:00:00Z"), toMs: at("2026-11-22T02:59:59.999Z") };
    const dates = datesAround(window);
    for (let ms = window.fromMs; ms <= window.toMs; ms += HOUR_MS / 2) {
      const day = dateWith(zone, ms);
      expect(day > dates.startDate && day < dates.endDate).toBe(true);
      const days = singleDays(dates);
      expect(
        days.some(({ startDate }) => day === startDate),
        "end left out",
      ).toBe(true);
      expect(
        days.some(({ endDate }) => day === endDate),
        "start left out",
      ).toBe(true);
      expect(isOutside(dates, ms)).toBe(false);
    }
  },
);

test.each([
  ["2026-11-22T01:00:00Z", ["2026-11-21", "2026-11-22"]],
  ["2026-11-22T12:00:00Z", ["2026-11-22"]],
  // Not in the future.
  ["2026-11-30T12:00:00Z", []],
  // Not before the start.
  ["2026-11-18T12:00:00Z", ["2026-11-18"]],
  ["2026-11-17T01:00:00Z", []],
])(
  "where an end in the future is refused at %s, today in São Paulo and in UTC are tried: %j",
  (now, ends) => {
    const dates = { startDate: "2026-11-18", endDate: "2026-11-24" };
    expect(earlierRanges(dates, at(now)).map(({ endDate }) => endDate)).toEqual(ends);
  },
);

test.each([
  ["2026-11-18T09:00:00Z", true],
  // Changed at the end of the 18th in UTC-12, sent a day later.
  ["2026-11-18T11:00:00Z", false],
  ["2026-11-20T00:00:00Z", false],
  ["2026-11-22T11:59:59Z", false],
  ["2026-11-22T12:00:00Z", true],
  ["0000-01-01T00:00:00Z", true],
  ["9999-12-31T23:59:59Z", true],
])("%s lies outside of the 20th to the 21st in every zone: %s", (instant, expected) => {
  expect(isOutside({ startDate: "2026-11-20", endDate: "2026-11-21" }, at(instant))).toBe(expected);
});

test.each([
  ["2026-11-21", "2026-11-21", "2026-11-21T03:00:00.000Z", "2026-11-22T02:59:59.999Z"],
  ["2026-12-31", "2027-01-01", "2026-12-31T03:00:00.000Z", "2027-01-02T02:59:59.999Z"],
  // In summer, until 2019.
  ["2018-12-24", "2018-12-24", "2018-12-24T02:00:00.000Z", "2018-12-25T01:59:59.999Z"],
  // Its first day began at 01:00, its last one had 25 hours.
  ["2018-11-04", "2018-11-04", "2018-11-04T03:00:00.000Z", "2018-11-05T01:59:59.999Z"],
  ["2019-02-16", "2019-02-16", "2019-02-16T02:00:00.000Z", "2019-02-17T02:59:59.999Z"],
])("the window of days in São Paulo: %s to %s", (from, to, first, last) => {
  expect(periodOfDays(from, to)).toEqual({ fromMs: at(first), toMs: at(last) });
});
