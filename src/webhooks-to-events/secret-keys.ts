import { timingSafeEqual } from "node:crypto";

/** The secrets that are accepted now, in the configured order: the same array until a rotation. Never throws. */
export type Secrets = () => readonly string[];

/**
 * Derives keys from the secrets, and again only when the secrets change. An empty secret never becomes a key:
 * it would accept an empty token from anybody. `derive` returns null for a secret that it cannot use.
 */
export const keysOf = <K>(secrets: Secrets, derive: (secret: string) => K | null): (() => readonly K[]) => {
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

/**
 * Whether one of the given digests is an expected one. All have the same length. Compares every pair, so that
 * the time does not depend on a match.
 */
export const anyDigestMatches = (expected: readonly Buffer[], given: readonly Buffer[]): boolean => {
  let matches = 0;
  for (const right of expected) {
    for (const candidate of given) matches |= timingSafeEqual(right, candidate) ? 1 : 0;
  }
  return matches === 1;
};
