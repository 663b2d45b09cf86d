import { timingSafeEqual } from "node:crypto";

/**
 * The secrets that are accepted now, in the configured order. Never throws. The result changes after a
 * rotation.
 */
export type Secrets = () => readonly string[];

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((text, i) => text === b[i]));

/**
 * Derives keys from the secrets, and again only when the secrets change. An empty secret never becomes a key:
 * it would accept an empty token from anybody. `derive` returns null for a secret that it cannot use.
 */
export const keysOf = <K>(secrets: Secrets, derive: (secret: string) => K | null): (() => readonly K[]) => {
  let derivedFrom: readonly string[] = [];
  let keys: readonly K[] = [];
  return () => {
    const current = secrets();
    if (!sameTexts(current, derivedFrom)) {
      derivedFrom = [...current];
      keys = derivedFrom.flatMap((secret) => (secret === "" ? [] : (derive(secret) ?? [])));
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
