import type { MiddlewareHandler } from "hono";
import { basicAuth } from "hono/basic-auth";
import { clientAddress } from "../../listener/client-address.ts";
import { PageProblem, type ConsoleContext, type ConsoleEnv, type Site } from "../site.ts";
import { createPasswords } from "./passwords.ts";
import { isName } from "./users.ts";

const LOOPBACK = /^(?:localhost|[a-z0-9-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const MAX_ADDRESS_LENGTH = 100;

const peerOf = (context: ConsoleContext): string => context.env.incoming.socket.remoteAddress ?? "";

export const addressOfPerson = (context: ConsoleContext): string => {
  const forwardedFor = context.req.header("x-forwarded-for");
  const address = clientAddress(peerOf(context), forwardedFor, context.var.site.isTrustedProxy);
  return address.slice(0, MAX_ADDRESS_LENGTH);
};

/** Without sign-in: refuses other host names, against DNS rebinding by a foreign web page. */
const onLoopback: MiddlewareHandler<ConsoleEnv> = async (context, next) => {
  if (!LOOPBACK.test(context.req.header("host") ?? ""))
    throw new PageProblem(
      403,
      "Without sign-in the console answers to this machine's own names only.",
      "Open it as http://localhost with its port, or set CONSOLE_AUTH.",
    );
  await next();
};

const byPassword = ({ options: { users }, clock, log }: Site): MiddlewareHandler<ConsoleEnv> => {
  const check = createPasswords(users, clock);
  return (context, next) =>
    basicAuth({
      realm: "cambio-bridge console",
      verifyUser: async (name, password) => {
        const address = addressOfPerson(context);
        const user = await check(name, password, address);
        if (user) context.set("person", { name: user.name, role: user.role });
        else {
          // Only names of users are logged: somebody may have typed a password in place of the name.
          const userName = users().some((one) => one.name === name) ? name : null;
          log.warn({ user: userName, address }, "console.sign.in.refused");
        }
        return user !== null;
      },
    })(context, next);
};

const nameIn = (value: string): string | null => {
  const name = Buffer.from(value, "latin1").toString("utf8").trim();
  // A comma separates the values of a repeated header; the other character stands for what is no UTF-8.
  return isName(name) && !/[\uFFFD,]/.test(name) ? name : null;
};

const NOT_TRUSTED = "This request did not come through the proxy that signs people in.";
const TRUST_IT =
  "Open the console by the proxy's address. If you did, add the proxy's own address to CONSOLE_TRUSTED_PROXY_CIDRS.";

/** The proxy names the user. All but CONSOLE_OPERATORS are viewers. */
const byProxy = ({ settings, isTrustedProxy }: Site): MiddlewareHandler<ConsoleEnv> => {
  const { userHeader: header, operators } = settings;
  const remedy = `see that it sends the header ${header} (CONSOLE_USER_HEADER)`;
  const advice = `See that it replaces the header ${header} rather than adding to what browsers send.`;
  return async (context, next) => {
    if (!isTrustedProxy(peerOf(context))) throw new PageProblem(403, NOT_TRUSTED, TRUST_IT);
    const value = context.req.header(header);
    if (value === undefined)
      throw new PageProblem(401, "The proxy named nobody.", `Sign in there. If you did, ${remedy}.`);
    const name = nameIn(value);
    if (name === null) throw new PageProblem(403, "The proxy did not name exactly one person.", advice);
    context.set("person", { name, role: operators.includes(name) ? "operator" : "viewer" });
    await next();
  };
};

/** Middleware that sets `person`, or refuses: nothing behind it is served without sign-in. */
export const signIn = (site: Site): MiddlewareHandler<ConsoleEnv> => {
  const ways = { none: () => onLoopback, basic: byPassword, "proxy-header": byProxy };
  return ways[site.settings.auth](site);
};
