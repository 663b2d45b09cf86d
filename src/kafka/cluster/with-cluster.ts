import type { Cluster } from "./cluster.ts";
import { UsageError } from "../../runtime/errors.ts";

export const withCluster = async <T>(
  { connectCluster }: { connectCluster: () => Promise<Cluster> },
  ask: (cluster: Cluster) => Promise<T>,
): Promise<T> => {
  const cluster = await connectCluster();
  try {
    return await ask(cluster);
  } finally {
    await cluster.close();
  }
};

/** For every topic but the journal, which must not simply be created again. */
export const noSuchTopic = (topic: string): UsageError =>
  new UsageError(`Topic ${topic} does not exist: run \`cambio-bridge setup\`.`);
