import type { Ref, Step } from "../../../../../src/commands-to-results/journal-rules/entry.ts";
import { doubtFold } from "../../../../../src/bridge/console/doubts/doubt-fold.ts";
import type { Random } from "../../../../simulation/random.ts";
import {
  accept,
  claimed,
  concluded,
  create,
  createLog,
  published,
  released,
} from "../../../commands-to-results/journal-rules/journal.ts";

export type Log = ReturnType<typeof createLog>;

/** What the bridge itself makes of the log. */
export const truth = ({ view }: Log): string[] =>
  view
    .doubts()
    .map(({ ref, claim, position }) => `${ref.commandId} ${claim.attemptId} @${position.offset}`)
    .sort();

export const shown = (fold: ReturnType<typeof doubtFold>): string[] =>
  fold
    .doubts()
    .map(({ standing: { doubt, claim } }) => {
      const attempt = claim?.entry.step.kind === "claimed" ? claim.entry.step.attemptId : "unknown";
      return `${doubt.entry.commandId} ${attempt} @${doubt.offset}`;
    })
    .sort();

const recordsOf = ({ entries }: Log) =>
  entries.map(({ key, entry, timestampMs }, offset) => ({ partition: 0, offset, timestampMs, key, entry }));

/**
 * Reads a log as the console does: backwards in stretches, while what stands behind `followedFrom` comes at the same time.
 * @param look called after each stretch with the first offset that is known
 */
export const read = (
  log: Log,
  { borders, followedFrom, look }: { borders: number[]; followedFrom: number; look?: (from: number) => void },
  fold = doubtFold(),
) => {
  const records = recordsOf(log);
  const coming = records.slice(followedFrom);
  let to = followedFrom;
  for (const from of [...borders.filter((at) => at < followedFrom).sort((a, b) => b - a), 0]) {
    const stretch = fold.chunk(to === followedFrom);
    for (const record of records.slice(from, to)) {
      stretch.take(record);
      const next = coming[0];
      if (next && record.offset % 3 === 0) fold.take((coming.shift(), next));
    }
    stretch.merge();
    to = from;
    look?.(from);
  }
  fold.complete(new Map());
  for (const record of coming) fold.take(record);
  return fold;
};

/**
 * Commands as replicas work at them that see the log late, and owners that die, answers that come late, operators.
 * @param releasesNothing whether attempts are released whose claims held nothing, or that nobody claimed: by replicas that stop, and to ask the time
 * @param copiesClaims whether the broker appends claims again, or only after their release, as one that was frozen may: before their conclusion
 */
export const randomLog = (
  random: Random,
  steps: number,
  { releasesNothing = false, copiesClaims = false } = {},
): Log => {
  const log = createLog(() => log.entries.length);
  const refs: Ref[] = [];
  for (let quote = 0; quote < 6; quote++)
    for (let command = 0; command < 3; command++) refs.push(accept(`c${quote}-${command}`, `q${quote}`));
  for (let one = 0; one < 4; one++) refs.push(create(`create-${one}`));
  /** Attempts whose claims held their keys. */
  let attempts: { ref: Ref; attemptId: string; requestHash: string }[] = [];
  const unheld: typeof attempts = [];
  let names = 0;
  const outcomes = ["SUCCEEDED", "REJECTED", "FAILED", "IN_DOUBT"] as const;
  const end = (attemptId: string | null, requestHash: string, of = random.pick(outcomes)): Step =>
    ({
      ...concluded(attemptId, of),
      requestHash,
    }) as Step;

  const claim = (ref: Ref): void => {
    const found = log.view.look(ref);
    const isLate = random.chance(0.2);
    const takesOver = ref.operation === "CREATE_QUOTE" && found.kind === "held";
    if (found.kind !== "free" && !takesOver && !isLate) return;
    const attemptId = `a${++names}`;
    const requestHash = random.chance(0.1) ? "ffff0123" : "abcd0123";
    const earlier = attempts.filter(({ ref: { commandId } }) => commandId === ref.commandId);
    const isLateTakeover = ref.operation === "CREATE_QUOTE" && earlier.length > 0 && random.chance(0.3);
    const supersedes = takesOver
      ? found.claim.attemptId
      : isLateTakeover
        ? random.pick(earlier).attemptId
        : null;
    log.append(ref, claimed(attemptId, { requestHash, supersedes }));
    (log.view.holds(ref, attemptId) ? attempts : unheld).push({ ref, attemptId, requestHash });
  };

  const copyClaim = (): void => {
    const concludedIds = new Set(
      log.entries.map(({ entry: { step } }) => (step.kind === "concluded" ? step.attemptId : null)),
    );
    const accepts = attempts.filter(
      ({ ref: { operation }, attemptId }) => operation === "ACCEPT_QUOTE" && !concludedIds.has(attemptId),
    );
    if (accepts.length === 0) return;
    const { ref, attemptId, requestHash } = random.pick(accepts);
    log.append(ref, claimed(attemptId, { requestHash }));
    // Where it holds nothing, nobody concludes the attempt any more.
    if (!log.view.holds(ref, attemptId)) attempts = attempts.filter((one) => one.attemptId !== attemptId);
  };
  const claimAfterRelease = (ref: Ref): void => {
    if (ref.operation !== "ACCEPT_QUOTE" || log.view.look(ref).kind !== "free") return;
    const attemptId = `a${++names}`;
    log.append(ref, released(attemptId), claimed(attemptId, { requestHash: "abcd0123" }));
    if (log.view.holds(ref, attemptId)) attempts.push({ ref, attemptId, requestHash: "abcd0123" });
  };

  while (log.entries.length < steps) {
    const ref = random.pick(refs);
    if (copiesClaims && random.chance(0.15)) copyClaim();
    if (copiesClaims && random.chance(0.05)) claimAfterRelease(ref);
    const found = log.view.look(ref);
    if (releasesNothing && random.chance(0.2)) {
      const nobody = { ref, attemptId: `a${++names}` };
      const of = unheld.length > 0 ? random.pick([...unheld, nobody]) : nobody;
      log.append(of.ref, released(of.attemptId));
    }
    const roll = random.next();
    if (roll < 0.35) claim(ref);
    else if (roll < 0.6 && found.kind === "held") {
      const { attemptId, requestHash } = found.claim;
      log.append(ref, random.chance(0.3) ? released(attemptId) : end(attemptId, requestHash));
    } else if (roll < 0.7 && found.kind === "doubt") {
      const { attemptId, requestHash } = found.claim;
      log.append(ref, end(attemptId, requestHash, random.pick(["SUCCEEDED", "FAILED"])), published());
    } else if (roll < 0.8 && attempts.length > 0) {
      const { ref: late, attemptId, requestHash } = random.pick(attempts);
      log.append(late, random.chance(0.2) ? released(attemptId) : end(attemptId, requestHash));
    } else if (roll < 0.83) log.append(ref, end(null, "abcd0123", "REJECTED"));
  }
  return log;
};
