import { inspect, type Inspection } from "../kafka/cluster/inspect.ts";
import type { TopicRole } from "../kafka/cluster/topics.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import type { Outgoing } from "../kafka/record.ts";
import type { Services } from "../kafka/wire/services.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import { NothingDone } from "./actor.ts";

/** Says of an outage what failed. Whoever calls a function of this room does it once, around all that it asks. */
export { explainOutage } from "../kafka/wire/outage.ts";

export type Progress = { read: number; total: number };

/** What commands for people and pages of the console work with. */
export type Tools = Services & {
  /** Is called with a sentence about something that does not stop the work. */
  warn: (sentence: string) => void;
  /** Is called with the number of records that are read. */
  onProgress: (progress: Progress) => void;
  /** Ends what is being read, and keeps an action from beginning; one that has begun is finished. */
  stopped: AbortSignal;
};

/** Throws NothingDone if a topic or its schema is missing, or a topic is not kept as it must be. */
export const inspectTopics = async (
  tools: Tools,
  used: readonly TopicRole[],
): Promise<Inspection["schemaIdOf"]> => {
  const needs = { names: tools.config.topics, used, largestRecords: [], lookbackMs: null };
  const { schemaIdOf, problems } = await withCluster(tools, (cluster) =>
    inspect(needs, { cluster, registry: tools.registry }),
  );
  const [problem] = problems;
  if (problem !== undefined) throw new NothingDone(problem);
  return schemaIdOf;
};

export const publishOne = (
  { publisher }: Tools,
  { topic, timeoutMs }: { topic: string; timeoutMs: number },
  record: Omit<Outgoing, "headers">,
): Promise<RecordPosition> => {
  const { publish, close } = publisher(topic, {
    maxWaiting: 1,
    maxWaitingBytes: 1_048_576,
    sendTimeoutMs: 8_000,
  });
  // Nobody waits until the connections are closed: that must not delay the answer.
  return publish({ ...record, headers: [] }, timeoutMs).finally(() => void close(0).catch(() => undefined));
};
