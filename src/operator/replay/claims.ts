import { placeText, type Place } from "./dead-letter.ts";

/** What became of one letter under a claim. Only `left` and `unknown` do not say that it stands where it was to go. */
export type LetterEnd =
  | { end: "sent" | "found"; place: string }
  /** Its event was published before. */
  | { end: "duplicate"; eventId: string }
  /** Not sent. */
  | { end: "left"; reason: string }
  /** Sent, and not acknowledged. */
  | { end: "unknown"; reason: string };

/** Letters that somebody is about to send, as the audit topic has it. */
export type Claim = {
  actionId: string;
  offset: number;
  atMs: number;
  by: string;
  /** Where they are to go, and the first offset there that they can have. */
  topic: string;
  ends: Readonly<Record<string, number>>;
  /** By ref: what tells the letter's record in that topic from others. */
  letters: Readonly<Record<string, string>>;
  leaseMs: number;
};

export type Sent = { by: string; atMs: number; where: string };

export type Standing =
  | { kind: "free" }
  | { kind: "sent"; sent: Sent }
  | { kind: "atWork"; by: string; atMs: number }
  /** Claimed by somebody who has died: it may have been sent. */
  | { kind: "unsettled"; claims: readonly Claim[] };

/** Entries of the audit topic, in their order. */
export type ClaimsEntry =
  | { kind: "claim"; claim: Claim }
  /** Null: it is not known what became of them. */
  | { kind: "end"; actionId: string; ends: Readonly<Record<string, LetterEnd>> | null; isRefused: boolean }
  | { kind: "other" };

type History = { open: Claim[]; sent: Sent[] };

/** How letters stand, by the audit topic alone. */
export const createClaims = () => {
  const claims = new Map<string, Claim>();
  const histories = new Map<string, History>();
  /** Places that stand for a letter, so that none stands for two. */
  const places = new Set<string>();

  const historyOf = (ref: string): History => {
    const known = histories.get(ref) ?? { open: [], sent: [] };
    histories.set(ref, known);
    return known;
  };

  const settle = (claim: Claim, ref: string, end: LetterEnd): void => {
    if (end.end === "unknown") return;
    const history = historyOf(ref);
    history.open = history.open.filter((open) => open !== claim);
    if (end.end === "left") return;
    const where = end.end === "duplicate" ? `event ${end.eventId}, which was there already` : end.place;
    if (end.end !== "duplicate") places.add(end.place);
    history.sent.push({ by: claim.by, atMs: claim.atMs, where });
    // Whoever claimed it before and died: it has been looked up by now.
    history.open = history.open.filter((open) => open.offset > claim.offset);
  };

  return {
    take: (entry: ClaimsEntry): void => {
      if (entry.kind === "claim") {
        const { claim } = entry;
        // Of an entry that was written twice the first one counts.
        if (claims.has(claim.actionId)) return;
        claims.set(claim.actionId, claim);
        for (const ref of Object.keys(claim.letters)) historyOf(ref).open.push(claim);
      } else if (entry.kind === "end") {
        const claim = claims.get(entry.actionId);
        if (!claim) return;
        for (const ref of Object.keys(claim.letters)) {
          const end = entry.isRefused ? { end: "left" as const, reason: "" } : entry.ends?.[ref];
          if (end) settle(claim, ref, end);
        }
      }
    },
    find: (actionId: string): Claim | undefined => claims.get(actionId),
    /** All times that it was sent, the first one first. */
    sent: (ref: string): readonly Sent[] => histories.get(ref)?.sent ?? [],
    isTaken: (topic: string, place: Place): boolean => places.has(placeText(topic, place)),
    /** Claims on a topic that are not settled for all of their letters, each with those letters. */
    open: (topic: string): ReadonlyMap<Claim, readonly string[]> => {
      const open = new Map<Claim, string[]>();
      for (const [ref, history] of histories)
        for (const claim of history.open)
          if (claim.topic === topic) open.set(claim, [...(open.get(claim) ?? []), ref]);
      return new Map([...open].sort(([a], [b]) => a.offset - b.offset));
    },
    /** As whoever holds a claim at this offset and time sees it: what was claimed later is not before it. */
    standing: (ref: string, { offset, atMs }: { offset: number; atMs: number }): Standing => {
      const { open = [], sent = [] } = histories.get(ref) ?? {};
      const earlier = open.filter((claim) => claim.offset < offset);
      const young = earlier.find((claim) => !isOver(claim, atMs));
      const [first] = sent;
      if (young) return { kind: "atWork", by: young.by, atMs: young.atMs };
      if (first) return { kind: "sent", sent: first };
      return earlier.length > 0 ? { kind: "unsettled", claims: earlier } : { kind: "free" };
    },
  };
};

export type Claims = ReturnType<typeof createClaims>;

/** Whether the claim's lease has run out: then its owner sends nothing more. */
export const isOver = ({ atMs, leaseMs }: Claim, nowMs: number): boolean => nowMs - atMs >= leaseMs;
