import { messageOf, UsageError } from "../runtime/errors.ts";

export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** `link`: where to go on from here. */
type More = { headers?: Readonly<Record<string, string>>; link?: string };

/** Why there is no page as asked for: a sentence, and what to do. Shown as a page of its own. */
export class Problem extends Error {
  override readonly name = "Problem";
  constructor(
    readonly status: ProblemStatus,
    message: string,
    readonly advice: string,
    readonly more: More = {},
  ) {
    super(message);
  }
}

/** What Kafka was asked and did not answer. A UsageError says by itself what is wrong. */
export const unanswered = (error: unknown): Problem =>
  new Problem(
    503,
    error instanceof UsageError
      ? error.message
      : `Kafka did not answer: ${messageOf(error)}.`.replace(/\.\.$/, "."),
    "Load the page again in a minute. When that does not help, run `cambio-bridge doctor` where the console runs.",
  );
