import { timingSafeEqual } from "node:crypto";

/** The secrets accepted right now, the newest or the oldest first, as configured. Never throws; may answer otherwise after a rotation. */
export type Secrets = () => readonly string[];

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((text, i) => text === b[i]));

/**
 * Key material made of the secrets, made anew only when they change. An empty secret never becomes a key: it would let in
 * everybody who sends nothing. `derive` returns null for a secret that it cannot use.
 */
export const keysOf = <K>(secrets: Secrets, derive: (secret: string) => K | null): (() => readonly K[]) => {
  let known: readonly string[] = [];
  let keys: readonly K[] = [];
  return () => {
    const current = secrets();
    if (!sameTexts(current, known)) {
      known = [...current];
      keys = known.flatMap((secret) => (secret === "" ? [] : (derive(secret) ?? [])));
    }
    return keys;
  };
};

/** Whether one of the digests is among the expected ones. All are of one length; every pair is compared, whatever was found before. */
export const anyDigestMatches = (expected: readonly Buffer[], given: readonly Buffer[]): boolean => {
  let matches = 0;
  for (const right of expected) {
    for (const candidate of given) matches |= timingSafeEqual(right, candidate) ? 1 : 0;
  }
  return matches === 1;
};
