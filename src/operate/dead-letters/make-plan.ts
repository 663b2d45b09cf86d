import { explainOutage } from "../../bridge/outage.ts";
import { noSuchTopic, withCluster } from "../../bridge/with-cluster.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Connections, OnProgress } from "../connections.ts";
import { refOf, type DeadLetter } from "./letter.ts";
import { planOf, type Plan } from "./plan.ts";
import { demandLetters, eachLetter, lettersAt, type LetterDeps, type Selection } from "./read.ts";
import { readSent, type SentLetters } from "./sent.ts";

/** `maxLetters`: refuses a larger replay, because all letters are held in memory. */
export type ReplayRequest = {
  letters: { refs: readonly RecordPosition[] } | Selection;
  maxLetters?: number;
};

const selected = async (
  deps: LetterDeps,
  { letters, maxLetters = Infinity }: ReplayRequest,
): Promise<DeadLetter[]> => {
  if ("refs" in letters) return lettersAt(deps, letters.refs);
  const found: DeadLetter[] = [];
  await eachLetter(deps, letters, (letter) => {
    if (found.length >= maxLetters)
      throw new UsageError(
        `More than ${maxLetters} dead letters are meant: choose a shorter time, or use \`cambio-bridge dead-letters replay\`.`,
      );
    found.push(letter);
  });
  return found;
};

/** `next`: the offset up to which the audit topic was read for it. */
export type Made = { plan: Plan; sent: SentLetters; next: number };

/** Reads the letters that are meant, and what the audit topic says of them. */
export const makePlan = async (
  connections: Connections,
  cluster: Cluster,
  request: ReplayRequest,
  onProgress: OnProgress | undefined,
  signal: AbortSignal,
): Promise<Made> => {
  const { config, services } = connections;
  const deps = { ...connections, cluster, signal, onProgress };
  await demandLetters(deps);
  const letters = await selected(deps, request);
  const oldestMs = letters.reduce(
    (oldest, { timestampMs }) => Math.min(oldest, timestampMs),
    services.clock.now(),
  );
  const { sent, next } = await readSent(connections, oldestMs, signal);
  const refs = "refs" in request.letters ? request.letters.refs : null;
  const found = new Set(letters.flatMap(({ records }) => records.map(refOf)));
  const rules = {
    isNamed: refs !== null,
    commandsTopic: config.topics.commands,
    eventsTopic: config.topics.transactionStatus,
    maxAgeMs: config.commands.maxAgeMs,
    nowMs: services.clock.now(),
    sent: sent.of,
  };
  const unknown = (refs ?? []).map(refOf).filter((ref) => !found.has(ref));
  const plan = planOf(letters, rules, unknown);
  const there = await cluster.find(plan.send.map(({ topic }) => topic));
  const absent = plan.send.find(({ topic }) => !there.has(topic));
  if (absent) throw noSuchTopic(absent.topic);
  return { plan, sent, next };
};

/** What a replay would send. Needs no operator. */
export const planReplay = (
  connections: Connections,
  request: ReplayRequest,
  { onProgress }: { onProgress?: OnProgress },
  signal: AbortSignal,
): Promise<Plan> => {
  const planning = withCluster(connections.services, (cluster) =>
    makePlan(connections, cluster, request, onProgress, signal),
  );
  return explainOutage(
    connections.config,
    planning.then(({ plan }) => plan),
    signal,
  );
};
