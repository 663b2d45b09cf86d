import { messageOf, UsageError } from "../runtime/errors.ts";

export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** `link`: the page to go on with. */
type More = { headers?: Readonly<Record<string, string>>; link?: string };

/** Thrown to answer with an error page: what is wrong, and what to do about it. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: ProblemStatus;
  readonly advice: string;
  readonly more: More;
  constructor(status: ProblemStatus, message: string, advice: string, more: More = {}) {
    super(message);
    this.status = status;
    this.advice = advice;
    this.more = more;
  }
}

/** A question without an answer of Kafka. The message of a UsageError is shown as it is. */
export const kafkaProblem = (error: unknown): Problem =>
  new Problem(
    503,
    error instanceof UsageError
      ? error.message
      : `Kafka did not answer: ${messageOf(error)}.`.replace(/\.\.$/, "."),
    "Load the page again in a minute. When that does not help, run `cambio-bridge doctor` where the console runs.",
  );
