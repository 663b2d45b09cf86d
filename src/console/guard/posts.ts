import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ConsoleEnv } from "../options.ts";
import { Problem } from "../problem.ts";
import { refuse, senderOf } from "./refuse.ts";
import { isOwnPage } from "./same-origin.ts";

const MAX_BODY_BYTES = 16_384;
const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i;

const onlyActors: MiddlewareHandler<ConsoleEnv> = async (context, next) => {
  const { site, person } = context.var;
  if (context.req.method !== "POST") {
    await next();
    return;
  }
  if (person === null || site.actions === null)
    throw refuse(
      context,
      403,
      "Nothing can be done here: nobody signs in.",
      "Set CONSOLE_AUTH, so that people sign in.",
    );
  if (!isOwnPage(senderOf(context), site.options.origin))
    throw refuse(
      context,
      403,
      "This did not come from a page of the console, so nothing was done.",
      "Open the console and send the form there. Behind a proxy that changes the Host, set CONSOLE_ORIGIN to the address that you see.",
    );
  if (person.role !== "operator")
    throw refuse(
      context,
      403,
      "You are a viewer, so nothing was done.",
      "Ask an operator, or have your role changed where people are named.",
    );
  if (!FORM.test(context.req.header("content-type") ?? ""))
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
