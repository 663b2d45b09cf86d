import type { LoggedNotification } from "../types.ts";

const states = ["pending", "delivered", "failed", "dropped"] as const satisfies LoggedNotification["state"][];

/** The specification says "up to 5". */
export const maxAttempts = 5;

/**
 * The notification log: a million entries take about 140 MB, because bodies are not stored and numbers are in
 * typed arrays, which grow with the log. The oldest entry is dropped first. Methods ignore the entryId of a
 * dropped entry.
 */
export type SentLog = {
  /** Adds a notification, and returns its entryId; ids are consecutive. */
  add(sent: Pick<LoggedNotification, "url" | "transactionId" | "status" | "createdAt">): number;
  /** `at` may be in the future: the attempt is not shown before then. */
  attempted(entryId: number, at: number, httpStatus: number | null): void;
  settle(entryId: number, state: LoggedNotification["state"]): void;
  get(entryId: number, now: number): LoggedNotification | null;
  createdAt(entryId: number): number;
  /** The instant of the first attempt, or `createdAt` without one. */
  sentAt(entryId: number): number;
  /** How many attempts were made until `now`. */
  attempts(entryId: number, now: number): number;
  /** The entryIds in the log: from the first one, up to but not including the second one. */
  range(): readonly [number, number];
  /** Notifications with the state dropped or failed, newest first. */
  lost(limit: number, now: number): { count: number; notifications: LoggedNotification[] };
  clear(): void;
};

// Layout of an entry. Times: createdAt, then each attempt. Codes: state, number of attempts, then each
// attempt's status.
const timesEach = 1 + maxAttempts;
const codesEach = 2 + maxAttempts;

export const createSentLog = (capacity: number): SentLog => {
  let times = new Float64Array(0);
  let codes = new Uint16Array(0);
  const urls: string[] = [];
  const transactionIds: string[] = [];
  const statuses: string[] = [];
  let first = 0;
  let next = 0;

  const grow = () => {
    const size = Math.min(capacity, Math.max(1024, 2 * urls.length));
    const before = { times, codes };
    times = new Float64Array(size * timesEach);
    codes = new Uint16Array(size * codesEach);
    times.set(before.times);
    codes.set(before.codes);
  };

  const knows = (entryId: number) => entryId >= first && entryId < next;
  const timeOf = (entryId: number, nth: number) => times[(entryId % capacity) * timesEach + nth] ?? 0;
  const codeOf = (entryId: number, nth: number) => codes[(entryId % capacity) * codesEach + nth] ?? 0;
  const setCode = (entryId: number, nth: number, code: number) => {
    codes[(entryId % capacity) * codesEach + nth] = code;
  };

  const attempts = (entryId: number, now: number) => {
    let made = codeOf(entryId, 1);
    while (made > 0 && timeOf(entryId, made) > now) made -= 1;
    return made;
  };

  const get = (entryId: number, now: number): LoggedNotification | null => {
    if (!knows(entryId)) return null;
    const slot = entryId % capacity;
    return {
      entryId,
      url: urls[slot] ?? "",
      transactionId: transactionIds[slot] ?? "",
      status: statuses[slot] ?? "",
      createdAt: timeOf(entryId, 0),
      state: states[codeOf(entryId, 0)] ?? "pending",
      attempts: Array.from({ length: attempts(entryId, now) }, (_, nth) => ({
        at: timeOf(entryId, 1 + nth),
        httpStatus: codeOf(entryId, 2 + nth) || null,
      })),
    };
  };

  return {
    add: ({ url, transactionId, status, createdAt }) => {
      const entryId = next;
      const slot = entryId % capacity;
      if (slot * timesEach >= times.length) grow();
      next += 1;
      first = Math.max(first, next - capacity);
      urls[slot] = url;
      transactionIds[slot] = transactionId;
      statuses[slot] = status;
      times[slot * timesEach] = createdAt;
      setCode(entryId, 0, 0);
      setCode(entryId, 1, 0);
      return entryId;
    },
    attempted: (entryId, at, httpStatus) => {
      const made = codeOf(entryId, 1);
      if (!knows(entryId) || made >= maxAttempts) return;
      times[(entryId % capacity) * timesEach + 1 + made] = at;
      setCode(entryId, 2 + made, httpStatus ?? 0);
      setCode(entryId, 1, made + 1);
    },
    settle: (entryId, state) => {
      if (knows(entryId)) setCode(entryId, 0, states.indexOf(state));
    },
    get,
    createdAt: (entryId) => timeOf(entryId, 0),
    sentAt: (entryId) => timeOf(entryId, codeOf(entryId, 1) > 0 ? 1 : 0),
    attempts,
    range: () => [first, next],
    lost: (limit, now) => {
      const notifications: LoggedNotification[] = [];
      let count = 0;
      for (let entryId = next - 1; entryId >= first; entryId -= 1) {
        if (codeOf(entryId, 0) < 2) continue;
        count += 1;
        const found = count <= limit ? get(entryId, now) : null;
        if (found) notifications.push(found);
      }
      return { count, notifications };
    },
    clear: () => {
      first = next;
    },
  };
};
