import { placeText, type RecordPosition } from "../../runtime/record-position.ts";
import { isOver, type Claim, type Claims } from "./claims.ts";

/** Whether a letter of dead claims stands in its topic. Valid for these claims only. */
export type Finding = { claims: ReadonlySet<Claim>; place: string | null };

/** A letter that may stand in the topic at or after these offsets. */
type Pending = { ref: string; digest: string; ends: Claim["ends"] };

export type SentSearch = {
  /** The offset to read from, by partition; null where there is nothing to look for. */
  from: Readonly<Record<string, number>> | null;
  /** To be called for every record from there on. */
  see: (digest: string, place: RecordPosition) => void;
  findings: () => ReadonlyMap<string, Finding>;
};

/**
 * The lowest offset of each partition. A partition that a claim does not name was added later: read it all.
 */
const earliest = (all: readonly Claim["ends"][]): Record<string, number> => {
  const from: Record<string, number> = {};
  for (const partition of new Set(all.flatMap(Object.keys)))
    from[partition] = Math.min(...all.map((ends) => ends[partition] ?? 0));
  return from;
};

/**
 * Finds which letters of dead claims (claims whose lease ran out without an end) stand in their topic.
 * It covers all such letters, not only those of this replay, so that of two letters with the same bytes every
 * replay takes the same one for sent. A letter whose bytes a live claim may be sending now is left undecided.
 */
export const findSent = (claims: Claims, topic: string, nowMs: number): SentSearch => {
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
