import type { Cluster } from "../kafka/cluster/cluster.ts";
import { inspect, type Inspection } from "../kafka/cluster/inspect.ts";
import { withCluster } from "../kafka/cluster/with-cluster.ts";
import type { Services } from "../kafka/wire/services.ts";
import { NothingDone } from "./actor.ts";

/** Says of an outage what failed. Whoever calls a function of this room does it once, around all that it asks. */
export { explainOutage } from "../kafka/wire/outage.ts";

/**
 * What every function of this room works with. `warn` is called with a sentence about something that does not stop
 * the work.
 */
export type ToolServices = Services & { warn: (sentence: string) => void };

/** How far a reading is, in records. `total` grows while records are written. */
export type Progress = { read: number; total: number };
export type OnProgress = (progress: Progress) => void;

/** The latest schemas of these topics. Throws NothingDone if a topic or a schema is missing. */
export const inspectSchemas = async (
  services: ToolServices,
  used: readonly ("journal" | "results" | "transactionStatus")[],
): Promise<Inspection["schemaIdOf"]> => {
  const { config } = services;
  const { schemaIdOf, problems } = await withCluster(services, (cluster) =>
    inspect(
      { names: config.topics, used, largestRecords: [], lookbackMs: null },
      { cluster, registry: services.registry },
    ),
  );
  const missing = problems[0];
  if (missing !== undefined) throw new NothingDone(missing);
  return schemaIdOf;
};

/** The notes of the commands group, by which a journal that was created anew is recognised. None without that right. */
export const askNotes =
  ({ config: { kafka, topics } }: ToolServices) =>
  (cluster: Cluster): Promise<string[]> =>
    cluster.committed(kafka.groupId, topics.commands).then(
      (commits) => [...commits.values()].map(({ note }) => note),
      () => [],
    );
