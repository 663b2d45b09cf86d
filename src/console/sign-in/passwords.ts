import { createHmac, randomBytes } from "node:crypto";
import { compare } from "bcryptjs";
import type { Clock } from "../../runtime/clock.ts";
import type { User } from "../users.ts";
import { inTurn } from "./serial-queue.ts";
import { limitTries } from "./limit-failed-logins.ts";

/** A right header is believed for so long after it came last, without being checked again. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 1_000;
/** A check computes for a tenth of a second and more, on the one thread that also makes the pages. */
const MAX_WAITING = 8;
const BUSY_MS = 1_000;
/** Of nothing that anybody knows: a name that is not there costs as much as one that is. */
const NOBODYS_HASH = "$2b$10$xGxDqc80k0XYQj5dyE2.t.G9mji7qUPMu6DrDkyufoXEtGVFLu2hK";

export type SignedIn =
  { kind: "user"; user: User } | { kind: "wrong" } | { kind: "wait"; ms: number; why: "failed" | "busy" };

type Credentials = { name: string; password: string };

/** Name and password of a header of the Basic scheme; null for anything else. */
const credentialsIn = (header: string): Credentials | null => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  const text = encoded === undefined ? "" : Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 1 ? null : { name: text.slice(0, colon), password: text.slice(colon + 1) };
};

/** Checks headers against the users. What a guesser costs is bounded, and whoever has signed in lately does not feel it. */
export const createPasswords = (
  users: () => readonly User[],
  clock: Pick<Clock, "monotonic">,
  isRight: (password: string, hash: string) => Promise<boolean> = compare,
) => {
  const key = randomBytes(32);
  /** Headers that were right, as digests, with the hash that they were right for, and until when. */
  const remembered = new Map<string, number>();
  /** Checks under way: a page and what it loads come with one header at once. */
  const checking = new Map<string, Promise<SignedIn>>();
  const tries = limitTries(clock);
  const take = inTurn(MAX_WAITING);

  const remember = (digest: string): void => {
    remembered.delete(digest);
    remembered.set(digest, clock.monotonic() + REMEMBER_MS);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  };

  const check = async (
    user: User | undefined,
    { name, password }: Credentials,
    digest: string,
    address: string,
  ): Promise<SignedIn> => {
    const pauseMs = tries.begin(address, name);
    if (pauseMs > 0) return { kind: "wait", ms: pauseMs, why: "failed" };
    const hash = user?.hash ?? users()[0]?.hash ?? NOBODYS_HASH;
    const checked = take(() => isRight(password, hash));
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
    // With the hash in it, a password that was changed in the file is forgotten at once.
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
