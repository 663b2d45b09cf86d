import type { MiddlewareHandler } from "hono";
import { basicAuth } from "hono/basic-auth";
import { Problem } from "../problem.ts";
import type { ConsoleContext, ConsoleEnv, Site } from "../site.ts";
import { createPasswords } from "./passwords.ts";
import { proxyUser } from "./proxy-user.ts";

const LOOPBACK = /^(?:localhost|[a-z0-9-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const MAX_ADDRESS_LENGTH = 100;

const peerOf = (context: ConsoleContext): string => context.env.incoming.socket.remoteAddress ?? "";

/** The address of the person's browser, for the audit topic; behind a proxy that signs in, the one that it saw. */
export const addressOf = (context: ConsoleContext): string => {
  const isProxied = context.var.site.options.auth.kind === "proxy-header";
  const seen = isProxied ? context.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return (seen || peerOf(context)).slice(0, MAX_ADDRESS_LENGTH);
};

/** Without sign-in: refuses other host names, against DNS rebinding by a foreign web page. */
const onLoopback: MiddlewareHandler<ConsoleEnv> = async (context, next) => {
  if (!LOOPBACK.test(context.req.header("host") ?? ""))
    throw new Problem(
      403,
      "Without sign-in the console answers to this machine's own names only.",
      "Open it as http://localhost with its port, or set CONSOLE_AUTH.",
    );
  await next();
};

const byPassword = (
  site: Site,
  users: Parameters<typeof createPasswords>[0],
): MiddlewareHandler<ConsoleEnv> => {
  const check = createPasswords(users, site.clock);
  return (context, next) =>
    basicAuth({
      realm: "cambio-bridge console",
      verifyUser: async (name, password) => {
        const address = peerOf(context);
        const user = await check(name, password, address);
        if (user) context.set("person", { name: user.name, role: user.role });
        else {
          // Only known names: somebody may have typed a password in place of the name.
          const known = users().some((one) => one.name === name) ? name : null;
          site.log.warn({ user: known, address }, "console.sign.in.refused");
        }
        return user !== null;
      },
    })(context, next);
};

/** Middleware that sets `person`, or refuses: nothing behind it is served without sign-in. */
export const signIn = (site: Site): MiddlewareHandler<ConsoleEnv> => {
  const { auth } = site.options;
  switch (auth.kind) {
    case "none":
      return onLoopback;
    case "basic":
      return byPassword(site, auth.users);
    case "proxy-header":
      return async (context, next) => {
        context.set("person", proxyUser(auth, context.env.incoming, peerOf(context)));
        await next();
      };
  }
};
