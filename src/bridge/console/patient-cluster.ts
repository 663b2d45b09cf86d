import type { Cluster } from "../../kafka/cluster/cluster.ts";
import type { Kit } from "../kit.ts";

/** A cluster that may not be there yet: it is connected to with the first question that finds it. */
export type PatientCluster = {
  ask: <T>(question: (cluster: Cluster) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
};

export const patientCluster = ({ connectCluster }: Pick<Kit, "connectCluster">): PatientCluster => {
  let opened: Promise<Cluster> | null = null;
  let isClosed = false;
  return {
    ask: async (question) => {
      if (isClosed) throw new Error("closed");
      const asked = (opened ??= connectCluster());
      asked.catch(() => {
        if (opened === asked) opened = null;
      });
      return question(await asked);
    },
    close: async () => {
      isClosed = true;
      await opened?.then(
        (cluster) => cluster.close(),
        () => undefined,
      );
    },
  };
};
