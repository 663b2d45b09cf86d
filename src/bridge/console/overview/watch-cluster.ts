import type { Config } from "../../../config/config.ts";
import type { Overview } from "../../../console/ports.ts";
import type { Cluster } from "../../../kafka/cluster/cluster.ts";
import { protocolErrorOf } from "../../../kafka/errors.ts";
import type { Ranges } from "../../../kafka/consume/tail.ts";
import { messageOf } from "../../../runtime/errors.ts";
import type { Services } from "../../services.ts";
import { askFlows, type FlowsStatus } from "../../operator/status.ts";
import { completeAt, lastNote } from "../../reconcile-note.ts";
import { missingTopics, recordsIn } from "../ranges.ts";
import { minuteSamples, newestAt, topicRates } from "./rates.ts";
import { replicasOf } from "./replicas.ts";

type Watched = Pick<Overview, "kafka" | "deadLetters" | "rates" | "lag" | "replicas" | "lastReconcile">;

type Deps = { cluster: Cluster; journal: (ranges: Ranges) => void; changed: () => void };

const ASK_EVERY_MS = 5_000;
/** Borders of minutes to ask for per topic and round; a topic has 60 of them at the start. */
const BORDERS_AT_ONCE = 20;
const DAY_MS = 86_400_000;
/** The retention of the dead-letter topic. */
const OLDEST_LETTER_MS = 30 * DAY_MS;

const endsOf = (ranges: Ranges): Map<number, number> =>
  new Map([...ranges].map(([partition, { endOffset }]) => [partition, endOffset]));

/** Polls the cluster for what the overview shows. Without an answer the last values stay, with their time. */
export const watchCluster = (config: Config, services: Services, { cluster, journal, changed }: Deps) => {
  const { clock } = services;
  const { topics } = config;
  const closing = new AbortController();
  const letterRates = topicRates();
  const watched = [
    { topic: topics.transactionStatus, of: "events" as const, rates: topicRates() },
    { topic: topics.commands, of: "commands" as const, rates: topicRates() },
    { topic: topics.results, of: "results" as const, rates: topicRates() },
    { topic: topics.deadLetters, of: "dead letters" as const, rates: letterRates },
  ];
  const lagHour = minuteSamples();
  const missing = new Set<string>();
  let flows: FlowsStatus | null = null;
  let letters: Ranges | null = null;
  let newestLetter: { ends: string; atMs: number | null } = { ends: "", atMs: null };
  let completeAtMs: number | null = null;
  let answeredAtMs: number | null = null;
  let fault: string | null = null;

  /** Skips the question while its topic does not exist. */
  const ifTopicExists = async (topic: string, question: () => Promise<void>): Promise<void> => {
    try {
      await question();
      missing.delete(topic);
    } catch (error) {
      if (protocolErrorOf(error) !== "UNKNOWN_TOPIC_OR_PARTITION") throw error;
      missing.add(topic);
    }
  };

  const askLetters = async (): Promise<void> => {
    const nowMs = clock.now();
    const found = await cluster.ranges(topics.deadLetters);
    const ends = JSON.stringify([...found]);
    if (ends === newestLetter.ends) return;
    const isEmpty = [...found.values()].every(({ startOffset, endOffset }) => endOffset <= startOffset);
    const isBehind = async (ms: number): Promise<boolean> => {
      const offsets = await cluster.offsetsAt(topics.deadLetters, ms);
      return [...found].some(
        ([partition, { endOffset }]) => (offsets.get(partition) ?? endOffset) < endOffset,
      );
    };
    const sinceMs = newestLetter.atMs ?? nowMs - OLDEST_LETTER_MS;
    const atMs = isEmpty ? null : await newestAt(isBehind, sinceMs, nowMs);
    newestLetter = { ends, atMs };
    letters = found;
  };

  const askBorders = async (): Promise<void> => {
    for (const { topic, rates } of watched)
      await ifTopicExists(topic, async () => {
        for (const border of rates.missing(clock.now()).slice(0, BORDERS_AT_ONCE)) {
          if (closing.signal.aborted) return;
          rates.put(border, await cluster.offsetsAt(topic, border), clock.now());
        }
      });
  };

  const round = async (): Promise<void> => {
    await ifTopicExists(topics.commands, async () => {
      flows = await askFlows(config, cluster);
      lagHour.add(clock.now(), flows.commands.lag);
    });
    await ifTopicExists(topics.journal, async () => journal(await cluster.ranges(topics.journal)));
    await ifTopicExists(topics.deadLetters, askLetters);
    for (const { topic, rates } of watched)
      await ifTopicExists(topic, async () => rates.putEnds(endsOf(await cluster.ranges(topic))));
    await ifTopicExists(topics.transactionStatus, async () => {
      completeAtMs = completeAt(await lastNote(config, cluster), clock.now());
    });
    changed();
    await askBorders();
  };

  const isFilled = (): boolean => watched.every(({ rates }) => rates.missing(clock.now()).length <= 1);

  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await round();
        [answeredAtMs, fault] = [clock.now(), null];
      } catch (error) {
        fault = messageOf(error);
      }
      changed();
      const pauseMs = fault === null && missing.size === 0 && !isFilled() ? 0 : ASK_EVERY_MS;
      await clock.sleep(pauseMs, closing.signal).catch(() => undefined);
    }
  };
  const watching = watch();

  const kafkaState = (): Overview["kafka"] => {
    const known =
      answeredAtMs === null
        ? "nothing is known yet"
        : `what is shown is of ${new Date(answeredAtMs).toISOString()}`;
    if (fault !== null) return { up: false, detail: `Kafka does not answer (${fault}): ${known}.` };
    if (answeredAtMs === null) return { up: true, detail: "Kafka is being asked: nothing is known yet." };
    if (missing.size === 0) return { up: true, detail: null };
    return { up: true, detail: missingTopics([...missing]) };
  };

  return {
    overview: (): Watched => {
      const nowMs = clock.now();
      return {
        kafka: kafkaState(),
        deadLetters: {
          records: letters && recordsIn(letters),
          lastHour: letterRates.sinceHour(nowMs),
          newestAtMs: newestLetter.atMs,
        },
        rates: watched.map(({ topic, of, rates }) => ({ topic, of, perMinute: rates.perMinute(nowMs) })),
        lag: {
          records: flows?.commands.lag ?? null,
          hour: lagHour.hour(nowMs),
          partitions: flows?.commands.partitions ?? [],
        },
        replicas: flows && replicasOf(flows, topics.commands),
        lastReconcile: completeAtMs === null ? null : { completeAtMs },
      };
    },
    close: async (): Promise<void> => {
      closing.abort(new Error("closed"));
      await watching;
    },
  };
};
