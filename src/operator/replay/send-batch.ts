import type { Claim, Claims, LetterEnd } from "./claims.ts";
import { refOf } from "./dead-letter.ts";
import type { Finding } from "./find-sent.ts";
import { skippedText, skipReason, type Planned } from "./plan.ts";

/** A letter that was read and can be sent. */
export type Ready = Planned & {
  /** Identifies its record in the topic. */
  digest: string;
  /** Letters of one key are sent in order; null where it has no key. */
  key: string | null;
  send: (timeoutMs: number) => Promise<LetterEnd>;
};

export type SendDeps = {
  claims: Claims;
  findings: ReadonlyMap<string, Finding>;
  again: boolean;
  /** Keys of which another replay is sending a letter: to keep their order, no letter of theirs is sent. */
  held: Set<string>;
  /** Waits until the next letter may go. */
  pace: (signal: AbortSignal) => Promise<void>;
  ended: (letter: Ready, end: LetterEnd) => void;
};

/** How long a claim keeps other replays from its letters. */
export const LEASE_MS = 60_000;
/** The other half covers bytes that are on their way, and a process that was frozen. */
const SEND_WITHIN_MS = LEASE_MS / 2;
const SEND_TIMEOUT_MS = 10_000;

/** What to do with a letter, decided by the position of its claim in the audit topic. */
type Verdict = { kind: "send" } | { kind: "end"; end: LetterEnd } | { kind: "lookUp" };

const left = (reason: string): LetterEnd => ({ end: "left", reason });

export const HELD = "a letter of its key is being replayed by somebody else: run it again in a minute";

export const isHeld = ({ key }: Ready, held: ReadonlySet<string>): boolean => key !== null && held.has(key);

const judge = (ref: string, own: Claim, { claims, findings, again }: SendDeps): Verdict => {
  const standing = claims.standing(ref, own);
  if (again && standing.kind !== "atWork") return { kind: "send" };
  if (standing.kind === "free") return { kind: "send" };
  if (standing.kind !== "unsettled") {
    const held = skipReason(standing);
    return { kind: "end", end: left(held ? skippedText(held) : "") };
  }
  const finding = findings.get(ref);
  if (!finding || !standing.claims.every((claim) => finding.claims.has(claim))) return { kind: "lookUp" };
  return finding.place === null
    ? { kind: "send" }
    : { kind: "end", end: { end: "found", place: finding.place } };
};

/** Why the rest of a batch was not sent. After `lookUp` and `lease` the same replay claims it again. */
export type Stop = { why: "lookUp" | "lease" | "cancelled" } | { why: "unknown"; reason: string } | null;

/**
 * Sends the letters of a claim, one after the other, and nothing once half of its lease is over. `ends` has
 * each letter that came to an end; the others were not sent.
 * @param elapsedMs counts from before the claim was written
 */
export const sendBatch = async (
  batch: readonly Ready[],
  { own, elapsedMs }: { own: Claim; elapsedMs: () => number },
  deps: SendDeps,
  signal: AbortSignal,
): Promise<{ ends: Map<string, LetterEnd>; stop: Stop }> => {
  const ends = new Map<string, LetterEnd>();
  const verdicts = batch.map((letter) => ({ letter, verdict: judge(refOf(letter.letter.place), own, deps) }));
  // Send none of them, so that the letters of one key keep their order.
  if (verdicts.some(({ verdict }) => verdict.kind === "lookUp")) return { ends, stop: { why: "lookUp" } };

  const end = (letter: Ready, what: LetterEnd): void => {
    ends.set(refOf(letter.letter.place), what);
    deps.ended(letter, what);
  };
  for (const { letter, verdict } of verdicts) {
    if (verdict.kind === "end") {
      const isAtWork = deps.claims.standing(refOf(letter.letter.place), own).kind === "atWork";
      if (isAtWork && letter.key !== null) deps.held.add(letter.key);
      end(letter, verdict.end);
      continue;
    }
    if (isHeld(letter, deps.held)) {
      end(letter, left(HELD));
      continue;
    }
    await deps.pace(signal).catch(() => undefined);
    if (signal.aborted) return { ends, stop: { why: "cancelled" } };
    const leftMs = SEND_WITHIN_MS - elapsedMs();
    if (leftMs <= 0) return { ends, stop: { why: "lease" } };
    const sent = await letter.send(Math.min(SEND_TIMEOUT_MS, leftMs));
    end(letter, sent);
    // It can be looked up only once the lease is over, and later letters of its key must wait for that.
    if (sent.end === "unknown") return { ends, stop: { why: "unknown", reason: sent.reason } };
  }
  return { ends, stop: null };
};
