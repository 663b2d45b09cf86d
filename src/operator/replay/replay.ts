import type { Clock } from "../../runtime/clock.ts";
import { messageOf } from "../../runtime/errors.ts";
import { startStopwatch } from "../../runtime/stopwatch.ts";
import type { Actor } from "../action.ts";
import type { Audited } from "../audit.ts";
import { nextBatch } from "./next-batch.ts";
import { claimAction, claimOutcome } from "./claims-entry.ts";
import type { Claim, Claims, LetterEnd } from "./claims.ts";
import { refOf } from "./dead-letter.ts";
import type { Finding } from "./find-sent.ts";
import type { Plan, Planned } from "./plan.ts";
import { HELD, isHeld, LEASE_MS, sendBatch, type Ready, type Stop } from "./send-batch.ts";

export type ReplayPorts = {
  clock: Clock;
  audited: Audited;
  claims: Claims;
  /** Resolves when the audit topic is read up to this offset, inclusive. */
  untilRead: (offset: number) => Promise<void>;
  /** The end offsets of a topic, by partition. */
  ends: (topic: string) => Promise<Record<string, number>>;
  /** Reads a letter's records; `cannot` says why it cannot be sent. */
  read: (planned: Planned) => Promise<Ready | { cannot: string }>;
  /** Finds the letters of dead claims in the topic; `nowMs` is the audit topic's time. */
  lookUp: (topic: string, nowMs: number) => Promise<ReadonlyMap<string, Finding>>;
  /** Called for each letter that came to an end. */
  ended: (planned: Planned, end: LetterEnd) => void;
};

/**
 * The reason of a signal that stops a replay, as text for people. Any other reason is reported as
 * "cancelled".
 */
export class Cancelled extends Error {}

const whyCancelled = ({ reason }: AbortSignal): string =>
  reason instanceof Cancelled ? reason.message : "cancelled";

export type ReplayOptions = { actor: Actor; again: boolean; ratePerSecond: number };

/** `unsent`: letters of the plan that were not sent; `reason`: why, null where all were. */
export type ReplayOutcome = { unsent: number; reason: string | null };

type Round = { ends: ReadonlyMap<string, LetterEnd>; stop: Stop; own: Claim | null };

const WAITING = {
  lease: "its claim ran out; it is claimed once more",
  lookUp: "an earlier replay of it did not finish: the topic is looked at first",
} as const;

const paced = (clock: Clock, ratePerSecond: number): ((signal: AbortSignal) => Promise<void>) => {
  let nextAt = clock.monotonic();
  return async (signal) => {
    const now = clock.monotonic();
    const waitMs = nextAt - now;
    nextAt = Math.max(nextAt, now) + 1_000 / ratePerSecond;
    if (waitMs > 0) await clock.sleep(waitMs, signal);
  };
};

/**
 * Sends what a plan says. Each batch is claimed in the audit topic before any of it is sent, and its outcome is
 * written there afterwards. The order of the claims in that topic decides which replay sends a letter.
 * Throws a UsageError when the audit topic cannot be written.
 */
export const replay = async (
  plan: Plan,
  { actor, again, ratePerSecond }: ReplayOptions,
  ports: ReplayPorts,
  signal: AbortSignal,
): Promise<ReplayOutcome> => {
  const { clock, claims, ended } = ports;
  const pace = paced(clock, ratePerSecond);
  const findings = new Map<string, Finding>();
  const held = new Set<string>();
  let queue = [...plan.send];

  const act = async (batch: readonly Ready[], topic: string): Promise<Round> => {
    const ends = await ports.ends(topic);
    const letters = Object.fromEntries(batch.map(({ letter, digest }) => [refOf(letter.place), digest]));
    const elapsedMs = startStopwatch(clock);
    const action = claimAction({ topic, ends, letters, leaseMs: LEASE_MS }, again);
    return ports.audited<Round>(actor, action, async ({ actionId, place }) => {
      const isRead = await ports.untilRead(place.offset).then(
        () => null,
        (error: unknown) => `the audit topic cannot be read (${messageOf(error)})`,
      );
      const own = claims.find(actionId);
      if (isRead !== null || !own) {
        const reason = isRead ?? "its claim was not met in the audit topic";
        const stop = { why: "unknown" as const, reason };
        return { value: { ends: new Map(), stop, own: null }, outcome: { kind: "refused", reason } };
      }
      const deps = { claims, findings, again, held, pace, ended };
      const round = await sendBatch(batch, { own, elapsedMs }, deps, signal);
      const why = round.stop?.why ?? "unknown";
      const reason =
        why === "unknown" ? "not sent" : why === "cancelled" ? whyCancelled(signal) : WAITING[why];
      const all = new Map<string, LetterEnd>(
        Object.keys(letters).map((ref) => [ref, round.ends.get(ref) ?? { end: "left", reason }]),
      );
      return { value: { ...round, own }, outcome: claimOutcome(topic, all) };
    });
  };

  /** Reads a batch. Letters that cannot be sent end here. */
  const readBatch = async (batch: readonly Planned[]): Promise<Ready[]> => {
    const read = await Promise.all(
      batch.map(async (planned) => ({ planned, ready: await ports.read(planned) })),
    );
    return read.flatMap(({ planned, ready }) => {
      const reason = "cannot" in ready ? ready.cannot : isHeld(ready, held) ? HELD : null;
      if (!("cannot" in ready) && reason === null) return [ready];
      ended(planned, { end: "left", reason: reason ?? "" });
      return [];
    });
  };

  for (const planned of plan.held) {
    const ready = await ports.read(planned);
    if ("key" in ready && ready.key !== null) held.add(ready.key);
  }
  while (queue.length > 0 && !signal.aborted) {
    const taken = nextBatch(queue, ratePerSecond);
    const topic = taken[0]?.topic ?? "";
    const ready = await readBatch(taken);
    queue = queue.slice(taken.length);
    if (ready.length === 0) continue;
    const { ends, stop, own } = await act(ready, topic);
    queue = [...ready.filter(({ letter }) => !ends.has(refOf(letter.place))), ...queue];
    if (stop?.why === "unknown") return { unsent: queue.length, reason: stop.reason };
    if (stop?.why === "lease" && ends.size === 0)
      return { unsent: queue.length, reason: "Kafka took too long to take a claim" };
    if (stop?.why !== "lookUp" || !own) continue;
    for (const [ref, finding] of await ports.lookUp(topic, own.atMs)) findings.set(ref, finding);
    const isDecided = ({ letter }: Planned): boolean => {
      const standing = claims.standing(refOf(letter.place), own);
      const finding = findings.get(refOf(letter.place));
      return standing.kind !== "unsettled" || standing.claims.every((claim) => finding?.claims.has(claim));
    };
    const reason =
      "whether an earlier replay sent it cannot be told: run it again in a minute, or use --again where the topic no longer holds what was sent then";
    for (const planned of ready) if (!isDecided(planned)) ended(planned, { end: "left", reason });
    queue = queue.filter(
      (planned) => !ready.some(({ letter }) => letter === planned.letter) || isDecided(planned),
    );
  }
  return { unsent: queue.length, reason: queue.length > 0 ? whyCancelled(signal) : null };
};
