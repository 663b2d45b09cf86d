import { createHmac, randomBytes } from "node:crypto";
import { compare } from "bcryptjs";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "../../runtime/cidr.ts";
import type { Clock } from "../../runtime/clock.ts";
import { keepNewest } from "../../runtime/keep-newest.ts";
import { PageProblem } from "../site.ts";
import type { User } from "./users.ts";

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
export const createPasswords = (users: () => readonly User[], clock: Pick<Clock, "monotonic">) => {
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
