import type { CommandResult } from "../../records.ts";
import { isSamePosition, positionText, type RecordPosition } from "../../runtime/record-position.ts";
import { buildResult } from "../build-result.ts";
import type { Identity } from "../types.ts";
import { retryUntilAborted, type WriteDeps } from "./kafka-retry.ts";
import type { Ref } from "./entry.ts";
import type { Settled } from "./ports.ts";
import { contradicts } from "./fold-rules.ts";
import type { AttemptProgress, Job, WrittenClaim } from "./progress.ts";
import { quoteTaken } from "./verdicts-without-answer.ts";

/** A result as the journal holds it: the same on every replica and at every repetition. `note`: of an operator. */
export type JournalResult = {
  result: CommandResult;
  value: Buffer;
  requestHash: string;
  traceparent: string | null;
  note: string | null;
};

/** The result where the fold refused the claim. Only facts of the claim go in: every replica builds the same bytes. */
const resultOfClaim = (
  codec: WriteDeps["codec"],
  { receivedAt, attempts, quoteId }: Omit<WrittenClaim, "position">,
  { requestHash, identity }: { requestHash: string; identity: Identity },
): JournalResult => {
  const named = { ...identity, quoteId: quoteId ?? identity.quoteId };
  const result = buildResult({ identity: named, receivedAt, completedAt: receivedAt, attempts }, quoteTaken);
  return { result, value: codec.encode(result), requestHash, traceparent: null, note: null };
};

/**
 * Returns null if the entry is gone or holds no result.
 * @param identity of a command whose quote may be taken: a Claimed then stands for its result
 */
export const readResult = async (
  { journal, codec }: Pick<WriteDeps, "journal" | "codec">,
  { commandId }: Ref,
  position: RecordPosition,
  identity: Identity | null = null,
): Promise<JournalResult | null> => {
  const entry = await journal.reread(position);
  // The topic was deleted and created again, and that has not been noticed yet.
  if (entry && entry.commandId !== commandId)
    throw new Error(`entry ${positionText(position)} belongs to another command than ${commandId}`);
  const step = entry?.step;
  if (step?.kind === "concluded") return { ...step, result: codec.decode(step.result), value: step.result };
  if (step?.kind !== "claimed" || identity === null) return null;
  return resultOfClaim(codec, step, { requestHash: step.requestHash, identity });
};

/** Publishes a doubt's final result, unless the commandId has one under another key: then it became a dead letter. */
export const publishFinal = async (
  { journal, publish }: Pick<WriteDeps, "journal" | "publish">,
  ref: Ref,
  { result, value, traceparent }: JournalResult,
  elsewhere: "none" | "waits" | "stands",
): Promise<void> => {
  if (elsewhere === "waits") return;
  if (elsewhere === "none") await publish(result, value, { traceparent, origin: null });
  await journal.append(ref, { kind: "published", resultId: result.resultId });
};

const isExecuted = ({ outcome }: CommandResult): boolean => outcome === "SUCCEEDED";

/**
 * Publishes the newest folded conclusion, not what this replica appended. Null if the state has changed meanwhile.
 * What this replica has written itself is not read again.
 */
export const publishStandingResult = async (
  job: Job,
  position: RecordPosition,
  { conclusion: own, claim }: AttemptProgress,
): Promise<Settled | null> => {
  const { deps, prepared, signals } = job;
  const { view } = deps;
  const { ref, requestHash, identity } = prepared;
  const stands = (): boolean => {
    const current = view.look(ref);
    return "position" in current && isSamePosition(current.position, position);
  };
  const ownResult = (): JournalResult | null => {
    if (own && isSamePosition(own.position, position))
      return { ...own, requestHash, traceparent: null, note: null };
    return claim && isSamePosition(claim.position, position)
      ? resultOfClaim(deps.codec, claim, prepared)
      : null;
  };
  // Decoding is retried too: it fails while the schema of an older result is being fetched.
  const read = async () => {
    if (!stands()) return null;
    const stored = await readResult(deps, ref, position, identity);
    if (stored === null) throw new Error(`entry ${positionText(position)} is deleted, and not forgotten yet`);
    return stored;
  };
  const newest = ownResult() ?? (await retryUntilAborted(job, "reread", signals.abandon, read));
  if (newest === null) return null;
  if (newest.requestHash !== requestHash) return "reused";
  const { result, value } = newest;
  // A repeated command gets its answer in the trace of the repetition.
  const envelope = { ...prepared.envelope, traceparent: prepared.envelope.traceparent ?? newest.traceparent };
  const isPublished = await retryUntilAborted(job, "publish", signals.abandon, async () => {
    if (!stands()) return false;
    await deps.publish(result, value, envelope);
    return true;
  });
  if (!isPublished) return null;
  if (!result.final) return result;
  const conclusion = own?.result;
  if (conclusion?.final && contradicts(ref.operation, isExecuted(conclusion), isExecuted(result)))
    await retryUntilAborted(job, "report", signals.abandon, () =>
      deps.contradiction({ ref, conclusion, standing: result }),
    );
  // No replica needs to publish a final result again. Not for an IN_DOUBT: a final may have been folded meanwhile.
  if (view.isUnpublished(ref))
    await retryUntilAborted(job, "append", signals.abandon, () =>
      deps.journal.append(ref, { kind: "published", resultId: result.resultId }),
    );
  return result;
};
