import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ConsoleEnv } from "../options.ts";
import { Problem } from "../problem.ts";
import { isOwnPage } from "./same-origin.ts";

const MAX_BODY_BYTES = 16_384;
const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i;

const onlyActors: MiddlewareHandler<ConsoleEnv> = async (context, next) => {
  const { site, person } = context.var;
  if (context.req.method !== "POST") {
    await next();
    return;
  }
  const { req } = context;
  const sender = {
    site: req.header("sec-fetch-site"),
    origin: req.header("origin"),
    host: req.header("host"),
  };
  const refuse = (message: string, advice: string): Problem => {
    site.log.warn({ by: person?.name ?? null, message, ...sender }, "console.refused");
    return new Problem(403, message, advice);
  };
  if (person === null || site.actions === null)
    throw refuse("Nothing can be done here: nobody signs in.", "Set CONSOLE_AUTH, so that people sign in.");
  if (!isOwnPage(sender, site.options.origin))
    throw refuse(
      "This did not come from a page of the console, so nothing was done.",
      "Open the console and send the form there. Behind a proxy that changes the Host, set CONSOLE_ORIGIN to the address that you see.",
    );
  if (person.role !== "operator")
    throw refuse(
      "You are a viewer, so nothing was done.",
      "Ask an operator, or have your role changed where people are named.",
    );
  if (!FORM.test(req.header("content-type") ?? ""))
    throw new Problem(415, "This is not a form of the console.", "Open the console and send the form there.");
  await next();
};

/** Lets a POST pass only when an operator sent a form of the console, of bounded size. */
export const guardPosts: readonly MiddlewareHandler<ConsoleEnv>[] = [
  onlyActors,
  bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new Problem(
        413,
        "What was sent is too large, so nothing was done.",
        "Choose fewer, or write less.",
      );
    },
  }),
];
