import type { CommandResult } from "../../records.ts";
import { isSamePosition, positionText, type RecordPosition } from "../../runtime/record-position.ts";
import { buildResult } from "../build-result.ts";
import { retryUntilAborted, type WrittenConclusion } from "./kafka-retry.ts";
import { publishedEntry, type Entry } from "./entry.ts";
import type { Job } from "./attempt.ts";
import type { Settled } from "./ports.ts";
import { contradicts } from "./fold-rules.ts";
import { quoteTaken } from "./verdicts-without-answer.ts";

type StandingResult = {
  result: CommandResult;
  value: Buffer;
  requestHash: string;
  traceparent: string | null;
};

/** The result that an entry holds or implies: the same on every replica and at every repetition. */
const resultOf = ({ prepared, deps }: Job, { step }: Entry): StandingResult | null => {
  if (step.kind === "concluded")
    return { ...step, result: deps.codec.decode(step.result), value: step.result };
  if (step.kind !== "claimed") return null;
  // The fold concluded it: the quote is taken. Only facts of the claim go in: every replica builds the same bytes.
  const { receivedAt, attempts, requestHash } = step;
  const identity = { ...prepared.identity, quoteId: step.quoteId ?? prepared.identity.quoteId };
  const result = buildResult({ identity, receivedAt, completedAt: receivedAt, attempts }, quoteTaken);
  return { result, value: deps.codec.encode(result), requestHash, traceparent: null };
};

const reread = async ({ deps, prepared: { ref } }: Job, position: RecordPosition): Promise<Entry | null> => {
  const entry = await deps.journal.reread(position);
  // The topic was deleted and created again, and that has not been noticed yet: it is not of this journal.
  if (entry && entry.commandId !== ref.commandId)
    throw new Error(`entry ${positionText(position)} belongs to another command than ${ref.commandId}`);
  return entry;
};

/** The conclusion of this replica's last attempt; null for none. */
type Own = WrittenConclusion | null;

const read = async (job: Job, position: RecordPosition, own: Own): Promise<StandingResult | null> => {
  const { deps, prepared, signals } = job;
  if (own && isSamePosition(own.position, position))
    return { ...own, requestHash: prepared.requestHash, traceparent: null };
  // Decoding is retried too: it fails while the schema of an older result is being fetched.
  return retryUntilAborted(deps, "reread", signals.abandon, async () => {
    const entry = await reread(job, position);
    return entry && resultOf(job, entry);
  });
};

/** The conclusion of an own attempt that contradicts the final result that stands; null if none does. */
const contradicting = ({ prepared }: Job, own: Own, standing: CommandResult): CommandResult | null => {
  if (own === null || !own.result.final || !standing.final) return null;
  const [says, stands] = [own.result, standing].map(({ outcome }) => outcome === "SUCCEEDED");
  return contradicts(prepared.ref.operation, says === true, stands === true) ? own.result : null;
};

/**
 * Publishes the result that stands in the journal: the newest folded conclusion, not the one that this replica
 * appended. `changed`: the state changed meanwhile and must be read again. `gone`: retention has deleted the entry.
 */
export const publishStandingResult = async (
  job: Job,
  position: RecordPosition,
  own: Own,
): Promise<Settled | "changed" | "gone"> => {
  const { deps, prepared, signals } = job;
  const { ref } = prepared;
  const { view } = deps;
  const newest = await read(job, position, own);
  if (newest === null) return "gone";
  if (newest.requestHash !== prepared.requestHash) return "reused";
  const { result, value } = newest;
  // A repeated command gets its answer in the trace of the repetition.
  const envelope = { ...prepared.envelope, traceparent: prepared.envelope.traceparent ?? newest.traceparent };
  const stands = (): boolean => {
    const current = view.look(ref);
    return "position" in current && isSamePosition(current.position, position);
  };
  const isPublished = await retryUntilAborted(deps, "publish", signals.abandon, async () => {
    if (!stands()) return false;
    await deps.publish(result, value, envelope);
    return true;
  });
  if (!isPublished) return "changed";
  const conclusion = contradicting(job, own, result);
  if (conclusion)
    await retryUntilAborted(deps, "report", signals.abandon, () =>
      deps.contradiction({ ref, conclusion, standing: result }),
    );
  // No replica needs to publish a final result again. Not for an IN_DOUBT: a final may have been folded meanwhile.
  if (result.final && view.isUnpublished(ref))
    await retryUntilAborted(deps, "append", signals.abandon, () =>
      deps.journal.append(ref.key, publishedEntry(ref, result.resultId)),
    );
  return result;
};
