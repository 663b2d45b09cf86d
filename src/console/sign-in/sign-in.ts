import type { Context, MiddlewareHandler } from "hono";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Auth, ConsoleEnv, Person } from "../options.ts";
import { Problem } from "../problem.ts";
import { createPasswords, credentialsIn } from "./passwords.ts";
import { proxyUser } from "./proxy-user.ts";

const LOOPBACK = /^(?:localhost|[a-z0-9-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const CHALLENGE = { "www-authenticate": 'Basic realm="cambio-bridge console", charset="UTF-8"' };

type Who = (context: Context<ConsoleEnv>) => Promise<Person | null> | Person | null;

const peerOf = (context: Context<ConsoleEnv>): string => context.env.incoming.socket.remoteAddress ?? "";

const MAX_ADDRESS_LENGTH = 100;

/** The address of the person's browser, for the audit topic; behind a proxy that signs in, the one that it saw. */
export const addressOf = (context: Context<ConsoleEnv>): string => {
  const isProxied = context.var.site.options.auth.kind === "proxy-header";
  const seen = isProxied ? context.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return (seen || peerOf(context)).slice(0, MAX_ADDRESS_LENGTH);
};

/** Without sign-in: refuses other host names, against DNS rebinding by a foreign web page. */
const onLoopback: Who = (context) => {
  if (LOOPBACK.test(context.req.header("host") ?? "")) return null;
  throw new Problem(
    403,
    "Without sign-in the console answers to this machine's own names only.",
    "Open it as http://localhost with its port, or set CONSOLE_AUTH.",
  );
};

const byPassword = (auth: Extract<Auth, { kind: "basic" }>, clock: Clock, log: Log): Who => {
  const passwords = createPasswords(auth.users, clock);
  /** Only known names: somebody may have typed a password in place of the name. */
  const knownUser = (header: string): string | null =>
    auth.users().find(({ name }) => name === credentialsIn(header)?.name)?.name ?? null;
  return async (context) => {
    const header = context.req.header("authorization");
    const signedIn = header === undefined ? null : await passwords(header, peerOf(context));
    if (signedIn?.kind === "user") return { name: signedIn.user.name, role: signedIn.user.role };
    if (signedIn?.kind === "wait")
      throw new Problem(
        429,
        signedIn.why === "failed"
          ? "Too many wrong passwords came from your address."
          : "Too many people sign in at this moment.",
        "Wait for a minute, then load the page again.",
        { headers: { "retry-after": String(Math.ceil(signedIn.ms / 1_000)) } },
      );
    if (header !== undefined)
      log.warn({ user: knownUser(header), address: peerOf(context) }, "console.sign.in.refused");
    throw new Problem(
      401,
      signedIn === null ? "You are not signed in." : "Name or password is wrong.",
      "Load the page again and give your name and password. They stand in the file of CONSOLE_USERS_FILE.",
      { headers: CHALLENGE },
    );
  };
};

const whoBy = (auth: Auth, clock: Clock, log: Log): Who => {
  switch (auth.kind) {
    case "none":
      return onLoopback;
    case "basic":
      return byPassword(auth, clock, log);
    case "proxy-header":
      return (context) => proxyUser(auth, context.env.incoming, peerOf(context));
  }
};

/** Middleware that sets `person`, or throws a Problem: nothing behind it is served without sign-in. */
export const signIn = (auth: Auth, clock: Clock, log: Log): MiddlewareHandler<ConsoleEnv> => {
  const who = whoBy(auth, clock, log);
  return async (context, next) => {
    context.set("person", await who(context));
    await next();
  };
};
