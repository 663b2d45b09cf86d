import { explainOutage } from "../../services/outage.ts";
import { withCluster } from "../../services/with-cluster.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { createReread } from "../../kafka/consume/reread.ts";
import { authorize, type Actor } from "../actor.ts";
import { withAudit, type Audited } from "../audit/audited.ts";
import { AUDIT_PARTITION, type Outcome } from "../audit/entry.ts";
import { auditReader } from "../audit/read-one.ts";
import type { Connections, OnProgress, Warn } from "../connections.ts";
import { obstacleTo } from "./letter-of.ts";
import { refOf, type Original } from "./letter.ts";
import { makePlan, type Made, type ReplayRequest } from "./make-plan.ts";
import type { Plan, Planned } from "./plan.ts";
import { isOldIn, loadLetter } from "./read.ts";
import { commandsTarget, eventsTarget, type LetterEnd, type Target } from "./targets.ts";

export type ReplayHooks = {
  planned: (plan: Plan) => void;
  /** Called for each letter of the plan that came to an end. */
  ended: (planned: Planned, end: LetterEnd) => void;
  warn: Warn;
  onProgress?: OnProgress;
};

/** `unsent`: letters of the plan whose turn did not come; `reason`: why, null where all had theirs. */
export type ReplayOutcome = { plan: Plan; unsent: number; reason: string | null };

/** Letters that are announced in one audit entry, and may be sent twice if the process is killed. */
const BATCH = 100;
/** Of a failure in the audit entry, which has one for each letter. */
const MAX_REASON = 300;
const BATCH_BYTES = 16 * 1_048_576;

/** The next letters for one topic, in order; at least one. */
const nextBatch = (queue: readonly Planned[]): readonly Planned[] => {
  let bytes = 0;
  const end = queue.slice(0, BATCH).findIndex(({ letter, topic }, at) => {
    bytes += letter.bytes;
    return topic !== queue[0]?.topic || (at > 0 && bytes > BATCH_BYTES);
  });
  return queue.slice(0, end < 0 ? BATCH : end);
};

/** What came of a batch, for the audit topic. */
export const outcomeOf = (ends: ReadonlyMap<string, LetterEnd>): Outcome => {
  const letters = Object.fromEntries(
    [...ends].flatMap(([ref, end]) => (end.end === "sent" ? [[ref, end.where] as const] : [])),
  );
  const failures = Object.fromEntries(
    [...ends].flatMap(([ref, end]) =>
      end.end === "sent" ? [] : [[ref, `${end.end}: ${end.reason}`.slice(0, MAX_REASON)] as const],
    ),
  );
  const [reason] = Object.values(failures);
  if (Object.keys(letters).length === 0) {
    const isUnknown = [...ends.values()].some(({ end }) => end === "unknown");
    return { kind: isUnknown ? "failed" : "refused", reason: reason ?? "nothing was left to send" };
  }
  return { kind: "done", effect: { letters, ...(reason !== undefined && { failures }) } };
};

const sendAll = async (
  connections: Connections,
  cluster: Cluster,
  { plan, sent, next }: Made,
  { audited, actor }: { audited: Audited; actor: Actor },
  ended: ReplayHooks["ended"],
  signal: AbortSignal,
): Promise<Omit<ReplayOutcome, "plan">> => {
  const { config, services } = connections;
  const letters = createReread(config.topics.deadLetters, services);
  const audit = auditReader(connections);
  const targets = new Map<string, Target>();
  const isOld = isOldIn(connections);
  const planEnd = next;
  let auditedTo = next;

  const targetOf = async (topic: string): Promise<Target> => {
    const target =
      targets.get(topic) ??
      (topic === config.topics.commands
        ? commandsTarget(connections, topic)
        : await eventsTarget(connections, cluster, signal));
    targets.set(topic, target);
    return target;
  };
  /** What others wrote since the plan was made, up to this batch's own entry: who announced a letter first sends it. */
  const readOthers = async (own: number): Promise<void> => {
    for (; auditedTo < own; auditedTo += 1) {
      const record = await audit.find({ partition: AUDIT_PARTITION, offset: auditedTo });
      if (record) sent.take(record);
    }
    auditedTo = own + 1;
  };
  /** The letter's record, or why it is not sent. */
  const load = async ({ letter }: Planned): Promise<Original | LetterEnd> => {
    const ref = refOf(letter.place);
    const [before] = sent.of(ref);
    if (before) return { end: "left", reason: `replayed meanwhile by ${before.by}: ${before.where}` };
    const other = sent.announced(ref, planEnd);
    if (other !== null)
      return { end: "left", reason: `being replayed by ${other}: run it again in a minute` };
    const loaded = await loadLetter(letters.reread, letter);
    if (loaded === null) return { end: "left", reason: "the dead-letter topic does not hold it any more" };
    const obstacle = obstacleTo(letter, loaded.original.value, isOld);
    return obstacle === null ? loaded.original : { end: "left", reason: obstacle };
  };
  /** All are loaded first: letters of one key are sent in order. */
  const sendBatch = async (batch: readonly Planned[]): Promise<Map<string, LetterEnd>> => {
    const target = await targetOf(batch[0]?.topic ?? "");
    const loaded = await Promise.all(batch.map(load));
    const ends = batch.map(async ({ letter }, at): Promise<readonly [string, LetterEnd]> => {
      const one = loaded[at];
      const end = !one || "end" in one ? one : await target.send(letter, one);
      return [refOf(letter.place), end ?? { end: "left", reason: "it was not read" }];
    });
    return new Map(await Promise.all(ends));
  };

  let queue = plan.send;
  try {
    // Opened before anything is announced: a topic that is missing is no failed action.
    for (const topic of new Set(queue.map((each) => each.topic))) await targetOf(topic);
    while (queue.length > 0) {
      if (signal.aborted) return { unsent: queue.length, reason: "it was interrupted" };
      const batch = nextBatch(queue);
      const refs = batch.map(({ letter }) => refOf(letter.place));
      const subject = refs.length === 1 ? (refs[0] ?? "") : `${refs.length} dead letters`;
      const parameters = { topic: batch[0]?.topic, letters: refs };
      const { value: ends } = await audited(actor, { kind: "replay", subject, parameters }, async (begun) => {
        await readOthers(begun.offset);
        const all = await sendBatch(batch);
        return { value: all, outcome: outcomeOf(all) };
      });
      for (const planned of batch) {
        const end = ends.get(refOf(planned.letter.place));
        if (end) ended(planned, end);
      }
      queue = queue.slice(batch.length);
      const failed = [...ends.values()].find(({ end }) => end === "unknown");
      if (failed && queue.length > 0)
        return {
          unsent: queue.length,
          reason: "reason" in failed ? failed.reason : "a record was not acknowledged",
        };
    }
    return { unsent: 0, reason: null };
  } finally {
    await Promise.all([
      ...[...targets.values()].map((target) => target.close()),
      letters.stop(),
      audit.close(),
    ]);
  }
};

/**
 * Sends dead letters again to where they came from, original bytes and headers, in batches of at most 100. Each
 * batch stands in the audit topic before any of it is sent, and afterwards with what came of it; what stands there
 * as sent is skipped. One that was killed may repeat its last batch, which commandId and eventId make harmless.
 * Throws a UsageError when the audit topic cannot be written.
 */
export const replay = (
  connections: Connections,
  actor: Actor,
  request: ReplayRequest,
  { planned, ended, warn, onProgress }: ReplayHooks,
  signal: AbortSignal,
): Promise<ReplayOutcome> => {
  const work = async (): Promise<ReplayOutcome> => {
    authorize(actor);
    return withCluster(connections.services, async (cluster) => {
      const made = await makePlan(connections, request, { signal, onProgress });
      const { plan } = made;
      planned(plan);
      if (plan.send.length === 0) return { plan, unsent: 0, reason: null };
      const sending = await withAudit(connections, actor, { warn, stopped: signal }, (audited) =>
        sendAll(connections, cluster, made, { audited, actor }, ended, signal),
      );
      return { plan, ...sending };
    });
  };
  return explainOutage(connections.config, work(), signal);
};
