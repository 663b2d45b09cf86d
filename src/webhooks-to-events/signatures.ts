import { createHash, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto";
import { standardWebhooksKey } from "../runtime/secret-list.ts";
import type { Span } from "../runtime/traces.ts";

/** The head of a request to the webhook route as received: nothing in it is verified or decoded yet. */
export type RequestHead = {
  /** The last segment of the request's path, still percent-encoded; null for a route without a token. */
  pathToken: string | null;
  /** By lower-case name. Each character of a value is one byte. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The remote address of the connection; empty when the connection is closed already. */
  peerAddress: string;
  /** Milliseconds since the Unix epoch. */
  receivedAt: number;
  span?: Span | undefined;
};

/** The value of a header, or null. Node joins a repeated header with commas. */
export const headerOf = ({ headers }: RequestHead, lowerCaseName: string): string | null => {
  const value = headers[lowerCaseName];
  return typeof value === "string" ? value : null;
};

/** The secrets that are accepted now, in the configured order: the same array until a rotation. Never throws. */
export type Secrets = () => readonly string[];

/** Whether a request's head proves that its sender is authentic. With a signature, the body decides. */
type HeadProof = boolean | ((body: Buffer) => boolean);

/** Works on raw bytes, takes the same time for every wrong secret, never throws. */
export type Scheme = (head: RequestHead) => HeadProof;

const SHA256_BYTES = 32;
const BASE64_SHA256 = /^[A-Za-z0-9+/_-]{43}=?$/;
const PERCENT_BYTE = /%([0-9a-f]{2})/gi;

const sha256 = (text: string, encoding: "utf8" | "latin1"): Buffer =>
  createHash("sha256").update(text, encoding).digest();

/** Derives keys when the secrets change. An empty secret never becomes one: it would accept an empty token. */
const keysOf = <K>(secrets: Secrets, derive: (secret: string) => K | null): (() => readonly K[]) => {
  let derivedFrom: readonly string[] = [];
  let keys: readonly K[] = [];
  return () => {
    const current = secrets();
    if (current !== derivedFrom) {
      derivedFrom = current;
      keys = current.flatMap((secret) => (secret === "" ? [] : (derive(secret) ?? [])));
    }
    return keys;
  };
};

/** Compares every pair of equal length, so that the time does not depend on a match. */
const anyDigestMatches = (expected: readonly Buffer[], candidates: readonly Buffer[]): boolean => {
  let matches = 0;
  for (const digest of expected)
    for (const candidate of candidates) matches |= timingSafeEqual(digest, candidate) ? 1 : 0;
  return matches === 1;
};

/** `prefix` precedes the body. KeyObjects are made once: with raw bytes Node 24 takes eight times as long. */
const prove = (keys: () => readonly KeyObject[], signatures: readonly Buffer[], prefix = ""): HeadProof => {
  if (signatures.length === 0) return false;
  const digestBy =
    (body: Buffer) =>
    (key: KeyObject): Buffer =>
      createHmac("sha256", key).update(prefix, "latin1").update(body).digest();
  return (body) => anyDigestMatches(keys().map(digestBy(body)), signatures);
};

const decodedSha256 = (text: string): Buffer | null => {
  if (text.length !== 2 * SHA256_BYTES) return BASE64_SHA256.test(text) ? Buffer.from(text, "base64") : null;
  // Decoding stops at the first character that is no hex digit.
  const bytes = Buffer.from(text, "hex");
  return bytes.length === SHA256_BYTES ? bytes : null;
};

// Both sides are hashed first: a comparison in constant time needs equal lengths.
const sharedSecret = (secrets: Secrets, secretsIn: (head: RequestHead) => readonly string[]): Scheme => {
  const digests = keysOf(secrets, (secret) => sha256(secret, "utf8"));
  return (head) => {
    const candidates = secretsIn(head).map((text) => sha256(text, "latin1"));
    return anyDigestMatches(digests(), candidates);
  };
};

/** The secret is the last segment of the request's path, as it is or percent-encoded. */
export const pathToken = (secrets: Secrets): Scheme =>
  sharedSecret(secrets, ({ pathToken: token }) => {
    if (token === null) return [];
    const decoded = token.replace(PERCENT_BYTE, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    return decoded === token ? [token] : [token, decoded];
  });

export const headerSecret = (secrets: Secrets, lowerCaseName: string): Scheme =>
  sharedSecret(secrets, (head) => [headerOf(head, lowerCaseName) ?? ""]);

/** Removes the blanks around commas: a regular expression would take quadratic time for many blanks. */
const trimmed = (list: string): string =>
  list
    .split(",")
    .map((part) => part.trim())
    .join(",");

/** A header holds HMAC-SHA256s of the body in hex or base64 after `prefix`, several while the secret is rotated. */
export const bodyHmac = (secrets: Secrets, lowerCaseName: string, prefix: string): Scheme => {
  const keys = keysOf(secrets, (secret) => createSecretKey(secret, "utf8"));
  // The prefix itself may hold commas, so that the list is split at a comma with the prefix.
  const separator = trimmed(`,${prefix}`);
  return (head) => {
    const list = trimmed(`,${headerOf(head, lowerCaseName) ?? ""}`);
    const [, ...entries] = list.split(separator);
    const signatures = entries.flatMap((entry) => decodedSha256(entry.split(",", 1)[0]?.trim() ?? "") ?? []);
    return prove(keys, signatures);
  };
};

// Digits only: with a dot in it, the same signed bytes could be split differently between timestamp and body.
const UNIX_SECONDS = /^\d{1,12}$/;
const SYMMETRIC_SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

/**
 * Standard Webhooks with symmetric keys: `v1,<base64>` HMACs over `id.timestamp.body`, separated by spaces (by a comma
 * where the header is repeated). Any may match any secret; other versions are skipped.
 */
export const standardWebhooks = (secrets: Secrets, toleranceMs: number): Scheme => {
  const keys = keysOf(secrets, (secret) => {
    const bytes = standardWebhooksKey(secret);
    return bytes && createSecretKey(bytes);
  });
  return (head) => {
    const id = headerOf(head, "webhook-id");
    const timestamp = headerOf(head, "webhook-timestamp");
    const list = headerOf(head, "webhook-signature");
    if (!id || !timestamp || !list || !UNIX_SECONDS.test(timestamp)) return false;
    // The timestamp is in whole seconds, so the local clock is rounded down too before the comparison.
    if (Math.abs(Math.floor(head.receivedAt / 1000) - Number(timestamp)) * 1000 > toleranceMs) return false;
    const signatures = list.split(/,? /).flatMap((entry) => {
      const signature = SYMMETRIC_SIGNATURE.exec(entry)?.[1];
      return signature === undefined ? [] : [Buffer.from(signature, "base64")];
    });
    return prove(keys, signatures, `${id}.${timestamp}.`);
  };
};
