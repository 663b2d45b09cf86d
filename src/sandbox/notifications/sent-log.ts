import type { LoggedNotification } from "../types.ts";

const states = ["pending", "delivered", "failed", "dropped"] as const satisfies LoggedNotification["state"][];

/** The specification says "up to 5". */
export const maxAttempts = 5;

// Layout of an entry. Times: createdAt, then each attempt. Codes: state, number of attempts, then each
// attempt's status.
const timesEach = 1 + maxAttempts;
const codesEach = 2 + maxAttempts;

/**
 * The notification log: a million entries take about 140 MB, because bodies are not stored and numbers are in
 * typed arrays, which grow with the log. The oldest entry is dropped first. Methods ignore the entryId of a
 * dropped entry.
 */
export const createSentLog = (capacity: number) => {
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

  /** How many attempts were made until `now`. */
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
    /** Adds a notification, and returns its entryId; ids are consecutive. */
    add: (sent: Pick<LoggedNotification, "url" | "transactionId" | "status" | "createdAt">) => {
      const entryId = next;
      const slot = entryId % capacity;
      if (slot * timesEach >= times.length) grow();
      next += 1;
      first = Math.max(first, next - capacity);
      urls[slot] = sent.url;
      transactionIds[slot] = sent.transactionId;
      statuses[slot] = sent.status;
      times[slot * timesEach] = sent.createdAt;
      setCode(entryId, 0, 0);
      setCode(entryId, 1, 0);
      return entryId;
    },
    /** `at` may be in the future: the attempt is not shown before then. */
    attempted: (entryId: number, at: number, httpStatus: number | null) => {
      const made = codeOf(entryId, 1);
      if (!knows(entryId) || made >= maxAttempts) return;
      times[(entryId % capacity) * timesEach + 1 + made] = at;
      setCode(entryId, 2 + made, httpStatus ?? 0);
      setCode(entryId, 1, made + 1);
    },
    settle: (entryId: number, state: LoggedNotification["state"]) => {
      if (knows(entryId)) setCode(entryId, 0, states.indexOf(state));
    },
    get,
    createdAt: (entryId: number) => timeOf(entryId, 0),
    /** The instant of the first attempt, or `createdAt` without one. */
    sentAt: (entryId: number) => timeOf(entryId, codeOf(entryId, 1) > 0 ? 1 : 0),
    attempts,
    /** The entryIds in the log: from the first one, up to but not including the second one. */
    range: () => [first, next] as const,
    /** Notifications with the state dropped or failed, newest first. */
    lost: (limit: number, now: number) => {
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

export type SentLog = ReturnType<typeof createSentLog>;
