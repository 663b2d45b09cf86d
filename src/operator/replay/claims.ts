import { placeText, type RecordPosition } from "../../runtime/record-position.ts";

/** What became of one letter under a claim. In all cases but `left` and `unknown` it stands in its topic. */
export type LetterEnd =
  | { end: "sent" | "found"; place: string }
  /** Its event had been published before. */
  | { end: "duplicate"; eventId: string }
  /** Not sent. */
  | { end: "left"; reason: string }
  /** Sent but not acknowledged. */
  | { end: "unknown"; reason: string };

/** A claim on letters that somebody is about to send, as the audit topic holds it. */
export type Claim = {
  actionId: string;
  offset: number;
  atMs: number;
  by: string;
  /** Their topic, and the lowest offset that they can get in each of its partitions. */
  topic: string;
  ends: Readonly<Record<string, number>>;
  /** By ref: the digest by which the letter's record is found in that topic. */
  letters: Readonly<Record<string, string>>;
  leaseMs: number;
};

export type Sent = { by: string; atMs: number; where: string };

export type LetterState =
  | { kind: "free" }
  | { kind: "sent"; sent: Sent }
  | { kind: "atWork"; by: string; atMs: number }
  /** A claim ran out without an end: the letter may have been sent. */
  | { kind: "unsettled"; claims: readonly Claim[] };

/** An audit entry, as far as it concerns replays. */
export type ClaimsEntry =
  | { kind: "claim"; claim: Claim }
  /** `ends` is null where it is not known what became of the letters. */
  | { kind: "end"; actionId: string; ends: Readonly<Record<string, LetterEnd>> | null; isRefused: boolean }
  | { kind: "other" };

type History = { open: Claim[]; sent: Sent[] };

/** Folds the claims and ends of replays from the audit topic into the state of each letter. */
export const createClaims = () => {
  const claims = new Map<string, Claim>();
  const histories = new Map<string, History>();
  /** Places that were found to hold a letter, so that none is taken for two. */
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
    // Earlier claims that ran out: the letter was looked up before this claim sent it.
    history.open = history.open.filter((open) => open.offset > claim.offset);
  };

  return {
    take: (entry: ClaimsEntry): void => {
      if (entry.kind === "claim") {
        const { claim } = entry;
        // A retry of the producer may write an entry twice: the first one counts.
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
    /** Every time that it was sent, the oldest first. */
    sent: (ref: string): readonly Sent[] => histories.get(ref)?.sent ?? [],
    isTaken: (topic: string, place: RecordPosition): boolean => places.has(placeText(topic, place)),
    /** Claims on a topic that have open letters, each with those letters. */
    open: (topic: string): ReadonlyMap<Claim, readonly string[]> => {
      const open = new Map<Claim, string[]>();
      for (const [ref, history] of histories)
        for (const claim of history.open)
          if (claim.topic === topic) open.set(claim, [...(open.get(claim) ?? []), ref]);
      return new Map([...open].sort(([a], [b]) => a.offset - b.offset));
    },
    /** The state as the claim at this offset and time sees it: later claims do not count. */
    standing: (ref: string, { offset, atMs }: { offset: number; atMs: number }): LetterState => {
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

/** Whether the claim's lease has run out. Its owner sends nothing after that. */
export const isOver = ({ atMs, leaseMs }: Claim, nowMs: number): boolean => nowMs - atMs >= leaseMs;
