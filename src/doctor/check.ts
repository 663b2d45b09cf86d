import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";

/** What a finding is, where other checks go by it. */
export type CheckCode =
  | "nameUnknown"
  | "nothingListens"
  | "silent"
  | "notTls"
  | "certificate"
  | "proxyRefuses"
  | "unreachable"
  | "bridgeNotReady"
  | "topicMissing";

/** The result of one check. `remedy`: what to do; null where nothing has to be done. */
export type Check = {
  name: string;
  status: "ok" | "warn" | "fail";
  code: CheckCode | null;
  detail: string;
  remedy: string | null;
};

/** For every check: each wait is bounded by the clock, and ends when `signal` aborts. */
export type Bounds = { clock: Clock; signal: AbortSignal };

export const ok = (name: string, detail: string): Check => ({
  name,
  status: "ok",
  code: null,
  detail,
  remedy: null,
});

const finding =
  (status: "warn" | "fail") =>
  (name: string, detail: string, remedy: string, code: CheckCode | null = null): Check => ({
    name,
    status,
    code,
    detail,
    remedy,
  });

export const warn = finding("warn");
export const fail = finding("fail");

export const isFailed = (checks: readonly Check[]): boolean => checks.some(({ status }) => status === "fail");

/** The running checks of one subject. `checks` rejects only when `signal` aborts. */
export type Subject = { group: string; checks: Promise<readonly Check[]> };

export const said = (group: string, ...checks: readonly Check[]): Subject => ({
  group,
  checks: Promise.resolve(checks),
});

export const skipped = (name: string, why: string): Check =>
  warn(name, `was not checked: ${why}`, "correct that first, then run `cambio-bridge doctor` again");

/** Runs checks within `ms`. An error becomes a failed check; only an abort of `signal` rejects. */
export const runBounded = async (
  name: string,
  ms: number,
  { clock, signal }: Bounds,
  check: (own: Bounds) => Promise<readonly Check[]>,
): Promise<readonly Check[]> => {
  try {
    return await clock.withDeadline(ms, signal, (deadline) => check({ clock, signal: deadline }));
  } catch (error) {
    signal.throwIfAborted();
    return [fail(name, `could not be checked (${messageOf(error)})`, "run `cambio-bridge doctor` again")];
  }
};
