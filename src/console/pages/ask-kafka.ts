import type { Context } from "hono";
import type { ConsoleEnv } from "../options.ts";
import { unanswered } from "../problem.ts";

/** Nobody looks at an empty page for longer. */
const PAGE_TIMEOUT_MS = 15_000;

/** What Kafka answers in time; a Problem where it does not. Stops when the browser goes away. */
export const ask = async <T>(
  context: Context<ConsoleEnv>,
  question: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  try {
    return await context.var.site.clock.withDeadline(PAGE_TIMEOUT_MS, context.req.raw.signal, question);
  } catch (error) {
    throw unanswered(error);
  }
};
