import { createHmac, randomBytes } from "node:crypto";
import { compare } from "bcryptjs";
import type { MiddlewareHandler } from "hono";
import { basicAuth } from "hono/basic-auth";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { clientAddress } from "../../listener/client-address.ts";
import { networkOf } from "../../runtime/cidr.ts";
import type { Clock } from "../../runtime/clock.ts";
import { keepNewest } from "../../runtime/keep-newest.ts";
import { PageProblem, type ConsoleContext, type ConsoleEnv, type Site } from "../site.ts";
import { isName, type User } from "./users.ts";

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
    throw new PageProblem(403, "Without sign-in only localhost is answered.", "See CONSOLE_AUTH.");
  await next();
};

/** One name has its own limit: others behind the same proxy lock nobody out. Each check takes a thread's time. */
const MAX_PER_NAME = 20;
const MAX_PER_ADDRESS = 200;
const WINDOW_S = 60;
/** A browser sends the password with each request. */
const REMEMBER_MS = 3_600_000;
const MAX_REMEMBERED = 1_000;
/** Checked for unknown names, so that they take as long as known ones. Its password is known to nobody. */
const NOBODYS_HASH = "$2b$10$xGxDqc80k0XYQj5dyE2.t.G9mji7qUPMu6DrDkyufoXEtGVFLu2hK";

/** Checks passwords. Guessing is limited; who is signed in already is not held up by it. */
const createPasswords = (users: () => readonly User[], clock: Pick<Clock, "monotonic">) => {
  const key = randomBytes(32);
  /** A digest covers the user's hash: a changed password takes effect at once. */
  const remembered = new Map<string, number>();
  const nameLimit = new RateLimiterMemory({ points: MAX_PER_NAME, duration: WINDOW_S });
  const addressLimit = new RateLimiterMemory({ points: MAX_PER_ADDRESS, duration: WINDOW_S });
  const digest = (...parts: readonly string[]): string =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64");

  const consume = async (network: string, name: string): Promise<void> => {
    try {
      await nameLimit.consume(name);
      await addressLimit.consume(network);
    } catch (limited) {
      if (!(limited instanceof RateLimiterRes)) throw limited;
      throw new PageProblem(
        429,
        "Too many wrong passwords came from your address.",
        "Wait for a minute, then load the page again.",
        { "retry-after": String(Math.ceil(limited.msBeforeNext / 1_000)) },
      );
    }
  };

  return async (name: string, password: string, address: string): Promise<User | null> => {
    const user = users().find((one) => one.name === name);
    const credentials = digest(user?.hash ?? "", name, password);
    if (user && (remembered.get(credentials) ?? 0) > clock.monotonic()) return user;
    const network = networkOf(address);
    const attempt = digest(network, name);
    await consume(network, attempt);
    const isRight = await compare(password, user?.hash ?? users()[0]?.hash ?? NOBODYS_HASH);
    if (!isRight || user === undefined) return null;
    await Promise.all([nameLimit.reward(attempt), addressLimit.reward(network)]);
    keepNewest(remembered, credentials, clock.monotonic() + REMEMBER_MS, MAX_REMEMBERED);
    return user;
  };
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
