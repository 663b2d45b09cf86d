import type { Context } from "hono";
import { commandPath, transactionPath } from "../../html/paths.ts";
import type { ConsoleEnv } from "../../options.ts";
import { Problem } from "../../problem.ts";

/** Redirects from the search box to the page of the id. */
export const search = (context: Context<ConsoleEnv>): Response => {
  const id = context.req.query("id") ?? "";
  if (id === "")
    throw new Problem(400, "No id was given.", "Write the id of a command or a transaction above.");
  const path = context.req.query("of") === "transaction" ? transactionPath(id) : commandPath(id);
  return context.redirect(path, 303);
};
