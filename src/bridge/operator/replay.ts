import type { Config } from "../../config/config.ts";
import type { Cluster } from "../../kafka/cluster/cluster.ts";
import { createReread } from "../../kafka/consume/reread.ts";
import type { Actor } from "../../operator/action.ts";
import type { LetterEnd } from "../../operator/replay/claims.ts";
import { inOriginalOrder, refOf, type DeadLetter } from "../../operator/replay/dead-letter.ts";
import { findSent, type Finding } from "../../operator/replay/find-sent.ts";
import { decide, planOf, type Plan, type Planned, type PlanRules } from "../../operator/replay/plan.ts";
import { replay, type ReplayOutcome } from "../../operator/replay/replay.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { scanRanges } from "../scan-ranges.ts";
import type { Services } from "../services.ts";
import { withCluster } from "../with-cluster.ts";
import { openAudit } from "./audit.ts";
import { followReplayClaims, type FollowedReplayClaims } from "./follow-replay-claims.ts";
import { obstacleTo } from "./dead-letter-index.ts";
import { eachLetter, isOldIn, lettersAt, loadLetter, type Selection } from "./dead-letters.ts";
import { commandsTarget, eventsTarget, type Target } from "./replay-targets.ts";

/** What a person asked for. */
export type Request = {
  /** By their refs, or by a selection. */
  letters: { refs: readonly RecordPosition[] } | Selection;
  again: boolean;
  /** A further commands topic that letters may be sent back to. */
  topic?: string | undefined;
  ratePerSecond: number;
  /** Refuses a larger replay, because all letters are held in memory. */
  maxLetters?: number;
  /** Null for the plan only. */
  actor: Actor | null;
};

export type Hooks = {
  /** `unknown`: refs without a letter. */
  planned: (plan: Plan, unknown: readonly RecordPosition[]) => void;
  ended: (planned: Planned, end: LetterEnd) => void;
  warn: (sentence: string) => void;
};

type Deps = { config: Config; services: Services; cluster: Cluster; signal: AbortSignal };

/** Null if nothing was sent. */
export type Replayed = ReplayOutcome | null;

/**
 * Letters may only be sent to commands topics: records in the topics that the bridge writes must not be
 * forged.
 */
const checkTopic = ({ topics }: Config, topic: string | undefined): void => {
  const own = Object.values(topics).filter((name) => name !== topics.commands);
  if (topic !== undefined && own.includes(topic))
    throw new UsageError(
      `--topic names ${topic}, which takes no commands: name the commands topic they came from.`,
    );
};

const selected = async (deps: Deps, { letters, maxLetters = Infinity }: Request): Promise<DeadLetter[]> => {
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

const offsetsOf = async (cluster: Cluster, topic: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    [...(await cluster.ranges(topic))].map(([partition, { endOffset }]) => [String(partition), endOffset]),
  );

/** Which letters of unfinished replays have reached a topic. */
const findSentIn =
  (deps: Deps, { claims, untilCurrent }: FollowedReplayClaims, target: Target) =>
  async (topic: string, nowMs: number): Promise<ReadonlyMap<string, Finding>> => {
    // Before the audit topic is read, so that each record before these ends was claimed in what is read of
    // it.
    const ranges = await deps.cluster.ranges(topic);
    await untilCurrent();
    const look = findSent(claims, topic, nowMs);
    const { from } = look;
    if (from === null) return look.findings();
    const wanted = new Map(
      [...ranges].map(([partition, { startOffset, endOffset }]) => [
        partition,
        { startOffset: Math.max(startOffset, from[partition] ?? startOffset), endOffset },
      ]),
    );
    await scanRanges(deps, { topic, purpose: "replay-look", ranges: wanted }, (record) =>
      look.see(target.digestOf(record), record),
    );
    const isWhole = [...ranges].every(
      ([partition, { startOffset }]) => startOffset <= (from[partition] ?? startOffset),
    );
    // Retention may have deleted a letter that was sent: then "not found" proves nothing.
    return new Map([...look.findings()].filter(([, { place }]) => isWhole || place !== null));
  };

const carryOut = async (
  deps: Deps,
  plan: Plan,
  { actor, again, ratePerSecond }: Request & { actor: Actor },
  claims: FollowedReplayClaims,
  { ended, warn }: Hooks,
): Promise<ReplayOutcome> => {
  const { config, services, cluster, signal } = deps;
  const audit = await openAudit(config, services, warn);
  const letters = createReread(services.ownReader(config.topics.deadLetters, "letters"), services);
  const targets = new Map<string, Target>();
  const targetOf = (topic: string): Target => {
    const target = targets.get(topic);
    if (!target) throw new Error(`no way to ${topic}`);
    return target;
  };
  const isOld = isOldIn(deps);
  try {
    for (const topic of new Set([...plan.send, ...plan.held].map((planned) => planned.topic)))
      targets.set(
        topic,
        topic === config.topics.transactionStatus
          ? await eventsTarget(config, services, cluster, signal)
          : commandsTarget(services, topic),
      );
    const ports = {
      clock: services.clock,
      audited: audit.audited,
      claims: claims.claims,
      untilRead: claims.untilRead,
      ends: (topic: string) => offsetsOf(cluster, topic),
      read: async (planned: Planned) => {
        const loaded = await loadLetter(letters.reread, planned.letter);
        if (loaded === null) return { cannot: "the dead-letter topic does not hold it any more" };
        const obstacle = obstacleTo(planned.letter, loaded.original.value, isOld);
        return obstacle === null
          ? targetOf(planned.topic).ready(planned, loaded.original)
          : { cannot: obstacle };
      },
      lookUp: (topic: string, nowMs: number) => findSentIn(deps, claims, targetOf(topic))(topic, nowMs),
      ended,
    };
    return await replay(plan, { actor, again, ratePerSecond }, ports, signal);
  } finally {
    await Promise.all([...[...targets.values()].map((target) => target.close()), letters.stop()]);
    await audit.close();
  }
};

const demandTopics = async (cluster: Cluster, names: readonly string[]): Promise<void> => {
  const needed = [...new Set(names)];
  const found = await cluster.find(needed);
  const absent = needed.filter((name) => !found.has(name));
  if (absent.length > 0)
    throw new UsageError(`There is no topic ${absent.join(" and ")}: run \`cambio-bridge setup\`.`);
};

/** Plans a replay of dead letters and, unless only the plan is wanted, carries it out. */
export const replayLetters = async (
  config: Config,
  services: Services,
  request: Request,
  hooks: Hooks,
  signal: AbortSignal,
): Promise<Replayed> => {
  checkTopic(config, request.topic);
  const { topics } = config;
  return withCluster(services, async (cluster) => {
    const deps = { config, services, cluster, signal };
    const commandTopics = [topics.commands, ...(request.topic === undefined ? [] : [request.topic])];
    await demandTopics(cluster, [
      topics.deadLetters,
      ...(request.topic === undefined ? [] : [request.topic]),
    ]);
    const claims = await followReplayClaims(deps);
    try {
      const nowMs = services.clock.now();
      const rules: PlanRules = {
        isNamed: "refs" in request.letters,
        again: request.again,
        commandTopics,
        eventsTopic: topics.transactionStatus,
        maxAgeMs: config.commands.maxAgeMs,
        nowMs,
      };
      const letters = (await selected(deps, request)).sort(inOriginalOrder);
      const now = { offset: Infinity, atMs: nowMs };
      const plan = planOf(letters, (letter) =>
        decide(letter, claims.claims.standing(refOf(letter.place), now), rules),
      );
      await demandTopics(
        cluster,
        plan.send.map(({ topic }) => topic),
      );
      const named = new Set(letters.flatMap(({ records }) => records.map(refOf)));
      const refs = "refs" in request.letters ? request.letters.refs : [];
      hooks.planned(
        plan,
        refs.filter((place) => !named.has(refOf(place))),
      );
      if (request.actor === null || plan.send.length === 0) return null;
      return await carryOut(deps, plan, { ...request, actor: request.actor }, claims, hooks);
    } finally {
      await claims.close();
    }
  });
};
