import type { Context } from "hono";
import { notice } from "../html/elements.ts";
import { html, type Html } from "../html/markup.ts";
import { sentence } from "../html/text.ts";
import { when } from "../html/time.ts";
import type { ConsoleEnv } from "../options.ts";
import { kafkaProblem, Problem } from "../problem.ts";
import type { LastAnswers } from "./last-answers.ts";

const PAGE_TIMEOUT_MS = 15_000;

/**
 * Asks Kafka within a deadline. Throws a Problem when there is no answer; stops when the browser goes away.
 */
export const askKafka = async <T>(
  context: Context<ConsoleEnv>,
  question: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  try {
    return await context.var.site.clock.withDeadline(PAGE_TIMEOUT_MS, context.req.raw.signal, question);
  } catch (error) {
    throw kafkaProblem(error);
  }
};

/**
 * As `askKafka`, but when there is no answer, the last one to the same path. `age`: a notice that says so; empty
 * for a fresh answer.
 */
export const askOrRemember = async <T>(
  context: Context<ConsoleEnv>,
  answers: LastAnswers<T>,
  question: (signal: AbortSignal) => Promise<T>,
): Promise<{ answer: T; age: Html }> => {
  const { pathname, search } = new URL(context.req.url);
  const path = pathname + search;
  try {
    const answer = await askKafka(context, question);
    answers.put(path, answer);
    return { answer, age: html`` };
  } catch (error) {
    const last = answers.get(path);
    if (!(error instanceof Problem) || last === null) throw error;
    const { clock } = context.var.site;
    const text = html`<p>
      <strong>${sentence(error.message)}</strong> What is shown was read ${when(last.atMs, clock.now())}.
    </p>`;
    return { answer: last.answer, age: notice("bad", text) };
  }
};
