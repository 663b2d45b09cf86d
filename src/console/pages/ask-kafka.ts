import type { Context } from "hono";
import { DeadlineError } from "../../runtime/clock.ts";
import { OutageError, UsageError } from "../../runtime/errors.ts";
import { notice } from "../html/elements.ts";
import { html, type Html } from "../html/markup.ts";
import { sentence } from "../html/text.ts";
import { when } from "../html/time.ts";
import type { ConsoleEnv } from "../options.ts";
import { kafkaProblem } from "../problem.ts";
import type { LastAnswers } from "./last-answers.ts";

const PAGE_TIMEOUT_MS = 15_000;

type Question<T> = (signal: AbortSignal) => Promise<T>;

const ask = <T>({ var: { site }, req }: Context<ConsoleEnv>, question: Question<T>): Promise<T> =>
  site.clock.withDeadline(PAGE_TIMEOUT_MS, req.raw.signal, question);

const isOutage = (error: unknown): error is OutageError | DeadlineError =>
  error instanceof OutageError || error instanceof DeadlineError;

/** A Problem where there can be no answer now; any other error as it is, so that it is logged. */
const problemOf = (context: Context<ConsoleEnv>, error: unknown): unknown => {
  const isExpected = error instanceof UsageError || isOutage(error) || context.req.raw.signal.aborted;
  return isExpected ? kafkaProblem(error) : error;
};

/**
 * Asks Kafka within a deadline. Throws a Problem when there is no answer; stops when the browser goes away.
 */
export const askKafka = async <T>(context: Context<ConsoleEnv>, question: Question<T>): Promise<T> => {
  try {
    return await ask(context, question);
  } catch (error) {
    throw problemOf(context, error);
  }
};

/**
 * As `askKafka`, but when Kafka does not answer, the last answer to the same path. `age`: a notice that says so;
 * empty for a fresh answer.
 */
export const askOrRemember = async <T>(
  context: Context<ConsoleEnv>,
  answers: LastAnswers<T>,
  question: Question<T>,
): Promise<{ answer: T; age: Html }> => {
  const { pathname, search } = new URL(context.req.url);
  const path = pathname + search;
  try {
    const answer = await ask(context, question);
    answers.put(path, answer);
    return { answer, age: html`` };
  } catch (error) {
    const last = answers.get(path);
    if (!isOutage(error) || last === null) throw problemOf(context, error);
    const { clock } = context.var.site;
    const text = html`<p>
      <strong>${sentence(kafkaProblem(error).message)}</strong> What is shown was read
      ${when(last.atMs, clock.now())}.
    </p>`;
    return { answer: last.answer, age: notice("bad", text) };
  }
};
