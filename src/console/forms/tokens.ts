import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../runtime/clock.ts";

/** For so long a form can be sent after it was shown. */
export const TOKEN_MS = 3_600_000;

/** One request that a form can make. */
export type RequestId = { id: string; expiresAtMs: number };

export type Tokens = {
  /** For one form: of this person, and for this purpose alone. */
  issue: (name: string, purpose: string) => string;
  /** Null for what this process did not issue for it, and for what is too old. */
  read: (token: string, name: string, purpose: string) => RequestId | null;
};

/** Signed names of requests: nobody else can make one, and one stands for one action, however often it is sent. */
export const createTokens = (clock: Pick<Clock, "monotonic">): Tokens => {
  const key = randomBytes(32);
  const sign = (...parts: readonly string[]): Buffer =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  return {
    issue: (name, purpose) => {
      const id = randomUUID();
      const expires = String(Math.ceil(clock.monotonic() + TOKEN_MS));
      return `${id}.${expires}.${sign(name, purpose, id, expires).toString("base64url")}`;
    },
    read: (token, name, purpose) => {
      const [id = "", expires = "", signature = ""] = token.split(".");
      const given = Buffer.from(signature, "base64url");
      const right = sign(name, purpose, id, expires);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
      const expiresAtMs = Number(expires);
      return clock.monotonic() < expiresAtMs ? { id, expiresAtMs } : null;
    },
  };
};
