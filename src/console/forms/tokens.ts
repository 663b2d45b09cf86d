import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../runtime/clock.ts";

/** How long a form can be sent after it was shown. */
export const TOKEN_MS = 3_600_000;

/** Identifies a form that was shown. */
export type RequestId = { id: string; expiresAtMs: number };

/** Signed tokens (HMAC) that protect forms against CSRF and against being sent twice. */
export const createTokens = (clock: Pick<Clock, "monotonic">) => {
  const key = randomBytes(32);
  const sign = (...parts: readonly string[]): Buffer =>
    createHmac("sha256", key).update(JSON.stringify(parts)).digest();
  return {
    /** A token for one form, valid for this user and this purpose only. */
    issue: (name: string, purpose: string): string => {
      const id = randomUUID();
      const expires = String(Math.ceil(clock.monotonic() + TOKEN_MS));
      return `${id}.${expires}.${sign(name, purpose, id, expires).toString("base64url")}`;
    },
    /** Null when this process did not issue it for this user and purpose, or when it has expired. */
    read: (token: string, name: string, purpose: string): RequestId | null => {
      const [id = "", expires = "", signature = ""] = token.split(".");
      const given = Buffer.from(signature, "base64url");
      const right = sign(name, purpose, id, expires);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
      const expiresAtMs = Number(expires);
      return clock.monotonic() < expiresAtMs ? { id, expiresAtMs } : null;
    },
  };
};

export type Tokens = ReturnType<typeof createTokens>;
