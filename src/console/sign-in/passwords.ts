import { createHmac, randomBytes } from "node:crypto";
import { compare } from "bcryptjs";
import type { Clock } from "../../runtime/clock.ts";
import { keepNewest } from "../../runtime/keep-newest.ts";
import type { User } from "../users.ts";
import { createSerialQueue } from "./serial-queue.ts";
import { limitFailedLogins } from "./limit-failed-logins.ts";

/** How long a right Authorization header is accepted without another bcrypt check, since its last use. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 1_000;
/** A bcrypt check takes 100 ms and more, on the thread that also renders the pages. */
const MAX_WAITING = 8;
/** Further places are for users who signed in lately at their address. */
const MAX_WAITING_WITH_KNOWN = 12;
/** So that one address cannot keep all others out. A user who signed in lately has as many beside it. */
const MAX_OF_OWNER = 2;
const BUSY_MS = 1_000;
/** Checked for unknown names, so that they take as long as known ones. Its password is known to nobody. */
const NOBODYS_HASH = "$2b$10$xGxDqc80k0XYQj5dyE2.t.G9mji7qUPMu6DrDkyufoXEtGVFLu2hK";

export type SignedIn =
  { kind: "user"; user: User } | { kind: "wrong" } | { kind: "wait"; ms: number; why: "failed" | "busy" };

type Credentials = { name: string; password: string };

/** Name and password of a header of the Basic scheme; null for anything else. */
export const credentialsIn = (header: string): Credentials | null => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  const text = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 1 ? null : { name: text.slice(0, colon), password: text.slice(colon + 1) };
};

/**
 * Checks Authorization headers against the users. Guessing is rate-limited, and does not slow down users who
 * signed in lately.
 */
export const createPasswords = (
  users: () => readonly User[],
  clock: Pick<Clock, "monotonic">,
  isRight: (password: string, hash: string) => Promise<boolean> = compare,
) => {
  const key = randomBytes(32);
  /** Digests of headers that were right, each until when. The digest covers the user's hash. */
  const remembered = new Map<string, number>();
  /** Checks under way: a browser sends several requests with the same header at once. */
  const checking = new Map<string, Promise<SignedIn>>();
  const tries = limitFailedLogins(clock);
  const take = createSerialQueue(MAX_OF_OWNER);

  const remember = (digest: string): void =>
    keepNewest(remembered, digest, clock.monotonic() + REMEMBER_MS, MAX_REMEMBERED);

  const check = async (
    user: User | undefined,
    { name, password }: Credentials,
    digest: string,
    address: string,
  ): Promise<SignedIn> => {
    const pauseMs = tries.begin(address, name);
    if (pauseMs > 0) return { kind: "wait", ms: pauseMs, why: "failed" };
    const hash = user?.hash ?? users()[0]?.hash ?? NOBODYS_HASH;
    const work = () => isRight(password, hash);
    const checked = tries.wasRightLately(address, name)
      ? take(`${address}\n${name}`, MAX_WAITING_WITH_KNOWN, work)
      : take(address, MAX_WAITING, work);
    if (checked === null) tries.takeBack(address, name);
    const matches = await checked;
    if (matches === null) return { kind: "wait", ms: BUSY_MS, why: "busy" };
    if (!matches || user === undefined) return { kind: "wrong" };
    tries.wasRight(address, name);
    remember(digest);
    return { kind: "user", user };
  };

  return (header: string, address: string): Promise<SignedIn> | SignedIn => {
    const given = credentialsIn(header);
    if (given === null) return { kind: "wrong" };
    const user = users().find(({ name }) => name === given.name);
    // The hash is part of it, so that a changed password takes effect at once.
    const digest = createHmac("sha256", key)
      .update(`${user?.hash ?? ""}\n${header}`)
      .digest("base64");
    if (user && (remembered.get(digest) ?? 0) > clock.monotonic()) {
      remember(digest);
      return { kind: "user", user };
    }
    const underWay = checking.get(digest);
    if (underWay) return underWay;
    const checked = check(user, given, digest, address).finally(() => checking.delete(digest));
    checking.set(digest, checked);
    return checked;
  };
};
