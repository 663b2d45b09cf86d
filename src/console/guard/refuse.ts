import type { Context } from "hono";
import type { ConsoleEnv } from "../options.ts";
import { Problem, type ProblemStatus } from "../problem.ts";
import type { Sender } from "./same-origin.ts";

export const senderOf = ({ req }: Context<ConsoleEnv>): Sender => ({
  site: req.header("sec-fetch-site"),
  origin: req.header("origin"),
  host: req.header("host"),
});

/** The Problem of a form that has no effect. Logs it as console.refused, with where it came from. */
export const refuse = (
  context: Context<ConsoleEnv>,
  status: ProblemStatus,
  message: string,
  advice: string,
): Problem => {
  const { site, person } = context.var;
  site.log.warn({ by: person?.name ?? null, message, ...senderOf(context) }, "console.refused");
  return new Problem(status, message, advice);
};
