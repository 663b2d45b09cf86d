import type { Clock } from "../../runtime/clock.ts";
import { keepNewest } from "../../runtime/keep-newest.ts";

/** The last answer to a question, and when it came. */
type Remembered<T> = { answer: T; atMs: number };

export type LastAnswers<T> = {
  put: (path: string, answer: T) => void;
  get: (path: string) => Remembered<T> | null;
};

const MAX_KEPT = 20;

/** Remembers the last answers by the page's path, to show while Kafka does not answer. */
export const createLastAnswers = <T>(clock: Pick<Clock, "now">): LastAnswers<T> => {
  const answers = new Map<string, Remembered<T>>();
  return {
    put: (path, answer) => keepNewest(answers, path, { answer, atMs: clock.now() }, MAX_KEPT),
    get: (path) => answers.get(path) ?? null,
  };
};
