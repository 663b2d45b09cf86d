import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";

export type Status = "ok" | "warn" | "fail";

/** One thing that was looked at. `remedy` says what to do; null where nothing has to be done. */
export type Check = { name: string; status: Status; detail: string; remedy: string | null };

/** What every check gets: each wait is bounded, and ends when `signal` aborts. */
export type Bounds = { clock: Clock; signal: AbortSignal };

export const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail, remedy: null });
export const warn = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: "warn",
  detail,
  remedy,
});
export const fail = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: "fail",
  detail,
  remedy,
});

/** What others have found out, as sentences of the form "what is wrong: what to do." */
export const found = (name: string, status: "warn" | "fail", sentence: string, remedy: string): Check => {
  const [detail = "", todo] = sentence.replace(/\.$/, "").split(/: (?=(?:run|set|raise|check) )/);
  return { name, status, detail, remedy: todo ?? remedy };
};

/** What is looked at for so long at most; whatever goes wrong with looking is a check that failed. */
export const within = async (
  name: string,
  ms: number,
  { clock, signal }: Bounds,
  look: (signal: AbortSignal) => Promise<readonly Check[]>,
): Promise<readonly Check[]> => {
  try {
    return await clock.withDeadline(ms, signal, look);
  } catch (error) {
    signal.throwIfAborted();
    return [fail(name, `could not be looked at (${messageOf(error)})`, "run `cambio-bridge doctor` again")];
  }
};
