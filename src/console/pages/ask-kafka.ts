import type { Context } from "hono";
import type { ConsoleEnv } from "../options.ts";
import { kafkaProblem } from "../problem.ts";

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
