import type { CommandResult } from "../../records.ts";
import { durably } from "./durably.ts";
import type { Entry, Position } from "./entry.ts";
import type { Job } from "./job.ts";
import type { Look } from "./partition-view.ts";
import type { Settled } from "./ports.ts";
import { contradicts } from "./state.ts";
import { quoteTaken } from "./verdicts.ts";

type Decided = Extract<Look, { position: Position }>;
type Answer = { result: CommandResult; value: Buffer; requestHash: string; traceparent: string | null };

const samePlace = (a: Position, b: Position): boolean => a.partition === b.partition && a.offset === b.offset;

/** The result that an entry stands for, the same on every replica and at every repetition. */
const resultOf = ({ item, deps }: Job, { step }: Entry): Answer | null => {
  if (step.kind === "concluded")
    return {
      result: deps.codec.decode(step.result),
      value: step.result,
      requestHash: step.requestHash,
      traceparent: step.traceparent,
    };
  if (step.kind !== "claimed") return null;
  // The fold concluded the command without an entry of its own. Only facts of the claim go in: they are the same for everybody.
  const { receivedAt, attempts, requestHash } = step;
  const identity = { ...item.identity, quoteId: step.quoteId ?? item.identity.quoteId };
  const result = deps.conclude({ identity, receivedAt, completedAt: receivedAt, attempts }, quoteTaken);
  return { result, value: deps.codec.encode(result), requestHash, traceparent: null };
};

const reread = async ({ deps, ref }: Job, position: Position): Promise<Entry | null> => {
  const entry = await deps.journal.reread(position);
  // A journal that was exchanged a moment ago, which nobody has noticed yet: it says nothing of this command.
  if (entry && entry.commandId !== ref.commandId)
    throw new Error(`entry ${position.partition}/${position.offset} is not of ${ref.commandId}`);
  return entry;
};

const read = async (job: Job, { position }: Decided): Promise<Answer | null> => {
  const { deps, item, said, lifeline } = job;
  if (said && samePlace(said.position, position))
    return { ...said, requestHash: item.requestHash, traceparent: null };
  const entry = await durably(deps, "reread", lifeline.abandon, () => reread(job, position));
  return entry && resultOf(job, entry);
};

/** The end of an own attempt that contradicts the final result that stands. */
const contradicting = ({ ref, said }: Job, standing: CommandResult): CommandResult | null => {
  if (said === null || !said.result.final || !standing.final) return null;
  const [says, stands] = [said.result, standing].map(({ outcome }) => outcome === "SUCCEEDED");
  return contradicts(ref.operation, says === true, stands === true) ? said.result : null;
};

/**
 * Publishes what the log says the command came to: the newest conclusion that is folded at that moment, not the one that was appended.
 * @returns null when the state changed meanwhile, and must be looked at again
 */
export const answer = async (job: Job, found: Decided): Promise<Settled | null> => {
  const { deps, ref, item, lifeline } = job;
  const { view } = deps;
  const newest = await read(job, found);
  if (newest === null) {
    // Older than the log. The view will be told by whoever watches the log's beginning; to forget on one read's word could free a quote.
    await deps.clock.sleep(deps.options.backoff.maxMs, lifeline.stop);
    return null;
  }
  if (newest.requestHash !== item.requestHash) return { kind: "reused" };
  const { result, value } = newest;
  // Whoever sends a command again waits for the answer in his own trace.
  const envelope = { ...item.envelope, traceparent: item.envelope.traceparent ?? newest.traceparent };
  for (let published = false; !published;) {
    const now = view.look(ref);
    if (!("position" in now) || !samePlace(now.position, found.position)) return null;
    published = await deps.publish(result, value, envelope).then(
      () => true,
      async (error: unknown) => {
        deps.observer.retrying("publish", error);
        await deps.clock.sleep(deps.options.backoff.baseMs, lifeline.abandon);
        return false;
      },
    );
  }
  const said = contradicting(job, result);
  if (said)
    await durably(deps, "report", lifeline.abandon, () =>
      deps.contradiction({ ref, said, standing: result }),
    );
  // The command's offset may be long committed: from here on nobody else need publish this final again. A doubt that was published says
  // nothing of a final that was folded meanwhile.
  if (result.final && view.isUnpublished(ref))
    await durably(deps, "append", lifeline.abandon, () =>
      deps.journal.append(ref.key, {
        operation: ref.operation,
        commandId: ref.commandId,
        step: { kind: "published", resultId: result.resultId },
      }),
    );
  return { kind: "answered", result };
};
