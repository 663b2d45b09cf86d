import { isOver, type Claim, type Claims } from "./claims.ts";
import { placeText, type Place } from "./dead-letter.ts";

/** What the target topic says of a letter whose claimants died. It holds for these claims, and says nothing of later ones. */
export type Finding = { claims: ReadonlySet<Claim>; place: string | null };

/** A letter that may stand in the topic, from these offsets on. */
type Pending = { ref: string; digest: string; ends: Claim["ends"] };

export type LookUp = {
  /** Where reading has to begin, by partition; null where there is nothing to look up. */
  from: Readonly<Record<string, number>> | null;
  /** To be told of every record from there on. */
  see: (digest: string, place: Place) => void;
  findings: () => ReadonlyMap<string, Finding>;
};

/** The lowest offset of each partition; one that a claim does not know was added later, and is read from its beginning. */
const earliest = (all: readonly Claim["ends"][]): Record<string, number> => {
  const from: Record<string, number> = {};
  for (const partition of new Set(all.flatMap(Object.keys)))
    from[partition] = Math.min(...all.map((ends) => ends[partition] ?? 0));
  return from;
};

/**
 * Which of the letters whose claimants died stand in their topic. It goes over all such letters, not only those that are wanted now, so that
 * of two with the same bytes everybody takes the same one for sent. One whose bytes somebody may be sending right now is not decided.
 */
export const lookUp = (claims: Claims, topic: string, nowMs: number): LookUp => {
  const open = [...claims.open(topic)];
  const dead = open.filter(([claim]) => isOver(claim, nowMs));
  const beingSent = new Set(
    open
      .filter(([claim]) => !isOver(claim, nowMs))
      .flatMap(([claim, refs]) => refs.map((ref) => claim.letters[ref])),
  );
  const found = new Map<string, { claims: Set<Claim>; place: string | null }>();
  const pending = new Map<string, Pending[]>();
  for (const [claim, refs] of dead)
    for (const ref of refs) {
      const digest = claim.letters[ref] ?? "";
      if (beingSent.has(digest)) continue;
      const known = found.get(ref);
      known?.claims.add(claim);
      if (known) continue;
      found.set(ref, { claims: new Set([claim]), place: null });
      pending.set(digest, [...(pending.get(digest) ?? []), { ref, digest, ends: claim.ends }]);
    }
  return {
    from: found.size === 0 ? null : earliest(dead.map(([{ ends }]) => ends)),
    see: (digest, place) => {
      const waiting = pending.get(digest);
      if (!waiting || claims.isTaken(topic, place)) return;
      const at = waiting.findIndex(({ ends }) => place.offset >= (ends[place.partition] ?? 0));
      const [letter] = at < 0 ? [] : waiting.splice(at, 1);
      const finding = letter && found.get(letter.ref);
      if (finding) finding.place = placeText(topic, place);
    },
    findings: () => found,
  };
};
