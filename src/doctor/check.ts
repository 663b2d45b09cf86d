import type { Config } from "../config/config.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";

export type CheckCode =
  | "nameUnknown"
  | "nothingListens"
  | "silent"
  | "notTls"
  | "certificate"
  | "proxyRefuses"
  | "unreachable"
  | "topicMissing";

/** The result of one check. `remedy`: what to do; null where nothing has to be done. */
export type Check = {
  name: string;
  status: "ok" | "warn" | "fail";
  code: CheckCode | null;
  detail: string;
  remedy: string | null;
};

/** What every check gets: the clock bounds each wait, and all end when `signal` aborts. */
export type Doctor = { config: Config; log: Log; clock: Clock; signal: AbortSignal };
export type Bounds = Pick<Doctor, "clock" | "signal">;

const finding =
  (status: Check["status"]) =>
  (name: string, detail: string, remedy: string | null, code: CheckCode | null = null): Check => {
    return { name, status, code, detail, remedy };
  };

export const ok = (name: string, detail: string): Check => finding("ok")(name, detail, null);
export const warn = finding("warn");
export const fail = finding("fail");

export const isFailed = (checks: readonly Check[]): boolean => checks.some(({ status }) => status === "fail");

/** The running checks of one subject. `checks` rejects only when `signal` aborts. */
export type Subject = { group: string; checks: Promise<readonly Check[]> };

export const skipped = (name: string, why: string): Check =>
  warn(name, `was not checked: ${why}`, "correct that first, then run `cambio-bridge doctor` again");

/** Runs checks within `ms`. An error becomes a failed check; only an abort of `signal` rejects. */
export const runBounded = async (
  name: string,
  ms: number,
  doctor: Doctor,
  check: (doctor: Doctor) => Promise<readonly Check[]>,
): Promise<readonly Check[]> => {
  const { clock, signal } = doctor;
  try {
    return await clock.withDeadline(ms, signal, (deadline) => check({ ...doctor, signal: deadline }));
  } catch (error) {
    signal.throwIfAborted();
    return [fail(name, `could not be checked (${messageOf(error)})`, "run `cambio-bridge doctor` again")];
  }
};
