import { explainOutage } from "../../services/outage.ts";
import { noSuchTopic, withCluster } from "../../services/with-cluster.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Connections, OnProgress } from "../connections.ts";
import { refOf, type DeadLetter } from "./letter.ts";
import { planOf, type Plan } from "./plan.ts";
import { eachLetter, lettersAt, type ReadingHooks, type Selection } from "./read.ts";
import { readSent, type SentLetters } from "./sent.ts";

/** `maxLetters`: refuses a larger replay, because all letters are held in memory. */
export type ReplayRequest = {
  letters: { refs: readonly RecordPosition[] } | Selection;
  maxLetters?: number;
};

const selected = async (
  connections: Connections,
  { letters, maxLetters = Infinity }: ReplayRequest,
  hooks: ReadingHooks,
): Promise<DeadLetter[]> => {
  if ("refs" in letters) return lettersAt(connections, letters.refs, hooks);
  const found: DeadLetter[] = [];
  const see = (letter: DeadLetter): void => {
    if (found.length >= maxLetters)
      throw new UsageError(
        `More than ${maxLetters} dead letters are meant: choose a shorter time, or use \`cambio-bridge dead-letters replay\`.`,
      );
    found.push(letter);
  };
  await eachLetter(connections, letters, see, hooks);
  return found;
};

/** `next`: the offset up to which the audit topic was read for it. */
export type Made = { plan: Plan; sent: SentLetters; next: number };

/** Reads the letters that are meant, and what the audit topic says of them. */
export const makePlan = async (
  connections: Connections,
  request: ReplayRequest,
  hooks: ReadingHooks,
): Promise<Made> => {
  const { config, services } = connections;
  const { topics, commands } = config;
  const nowMs = services.clock.now();
  const letters = await selected(connections, request, hooks);
  const oldestMs = letters.reduce((oldest, { timestampMs }) => Math.min(oldest, timestampMs), nowMs);
  const { sent, next } = await readSent(connections, oldestMs, hooks.signal);
  const refs = "refs" in request.letters ? request.letters.refs : null;
  const found = new Set(letters.map(({ place }) => refOf(place)));
  const plan = planOf(
    letters,
    {
      isNamed: refs !== null,
      commandsTopic: topics.commands,
      eventsTopic: topics.transactionStatus,
      maxAgeMs: commands.maxAgeMs,
      nowMs,
      sent: sent.of,
    },
    (refs ?? []).map(refOf).filter((ref) => !found.has(ref)),
  );
  const there = await withCluster(services, (cluster) => cluster.find(plan.send.map(({ topic }) => topic)));
  const absent = plan.send.find(({ topic }) => !there.has(topic));
  if (absent) throw noSuchTopic(absent.topic);
  return { plan, sent, next };
};

/** What a replay would send. Needs no operator. */
export const planReplay = async (
  connections: Connections,
  request: ReplayRequest,
  { onProgress }: { onProgress?: OnProgress },
  signal: AbortSignal,
): Promise<Plan> => {
  const making = makePlan(connections, request, { signal, onProgress });
  return (await explainOutage(connections.config, making, signal)).plan;
};
