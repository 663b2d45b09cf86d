import type { Clock } from "../../runtime/clock.ts";
import type { Claim, Claims, LetterEnd } from "./claims.ts";
import { refOf } from "./dead-letter.ts";
import type { Finding } from "./find-sent.ts";
import { heldBy, type Planned } from "./plan.ts";

/** A letter that was read and can be sent. */
export type Ready = Planned & {
  /** Tells its record in the topic from others. */
  digest: string;
  /** Those of one key are sent in their order; null where it has no key. */
  key: string | null;
  send: (timeoutMs: number) => Promise<LetterEnd>;
};

export type SendDeps = {
  clock: Clock;
  claims: Claims;
  findings: ReadonlyMap<string, Finding>;
  again: boolean;
  /** Keys of which a letter is with somebody else: to keep their order, no other one is sent. */
  held: Set<string>;
  /** Waits until the next letter may go. */
  pace: (signal: AbortSignal) => Promise<void>;
  ended: (letter: Ready, end: LetterEnd) => void;
};

/** How long a claim keeps others away. */
export const LEASE_MS = 60_000;
/** The other half is for bytes that are on their way, and for a process that was frozen. */
const SEND_WITHIN_MS = LEASE_MS / 2;
const SEND_TIMEOUT_MS = 10_000;

/** What is to be done with a letter, as its claim's place in the audit topic decides. */
type Verdict = { kind: "send" } | { kind: "end"; end: LetterEnd } | { kind: "lookUp" };

const left = (reason: string): LetterEnd => ({ end: "left", reason });

export const HELD = "a letter of its key is being replayed by somebody else: run it again in a minute";

export const isHeld = ({ key }: Ready, held: ReadonlySet<string>): boolean => key !== null && held.has(key);

export const judge = (ref: string, own: Claim, { claims, findings, again }: SendDeps): Verdict => {
  const standing = claims.standing(ref, own);
  if (again && standing.kind !== "atWork") return { kind: "send" };
  if (standing.kind === "free") return { kind: "send" };
  if (standing.kind !== "unsettled") {
    const held = heldBy(standing);
    return { kind: "end", end: left(`${held?.why}: ${held?.detail}`) };
  }
  const finding = findings.get(ref);
  if (!finding || !standing.claims.every((claim) => finding.claims.has(claim))) return { kind: "lookUp" };
  return finding.place === null
    ? { kind: "send" }
    : { kind: "end", end: { end: "found", place: finding.place } };
};

/** Milliseconds since now by whichever clock says more: one stands still while a machine is paused, the other can be set back. */
export const stopwatch = ({ now, monotonic }: Clock): (() => number) => {
  const [wall, steady] = [now(), monotonic()];
  return () => Math.max(now() - wall, monotonic() - steady);
};

/** Why what is not sent yet waits. `again`: it may be claimed once more by the same run. */
export type Stop = { why: "lookUp" | "lease" | "cancelled" } | { why: "unknown"; reason: string } | null;

/**
 * Sends what a claim covers, one letter after the other, and nothing once half of its lease is over. `ends` says what became of each letter that
 * came to an end; the others are not sent.
 * @param elapsedMs since before the claim was written
 */
export const sendBatch = async (
  batch: readonly Ready[],
  { own, elapsedMs }: { own: Claim; elapsedMs: () => number },
  deps: SendDeps,
  signal: AbortSignal,
): Promise<{ ends: Map<string, LetterEnd>; stop: Stop }> => {
  const ends = new Map<string, LetterEnd>();
  const verdicts = batch.map((letter) => ({ letter, verdict: judge(refOf(letter.letter.place), own, deps) }));
  // None of them, so that those of one key keep their order.
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
    // Whether it stands in the topic is seen once the lease is over; what comes after it must wait for that.
    if (sent.end === "unknown") return { ends, stop: { why: "unknown", reason: sent.reason } };
  }
  return { ends, stop: null };
};
