export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 413 | 415 | 422 | 429 | 500 | 503;

/** A request that gets no page, as a sentence, and what to do. */
export class Problem extends Error {
  readonly status: ProblemStatus;
  readonly advice: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: ProblemStatus, message: string, advice = "", headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.advice = advice;
    this.headers = headers;
  }
}
