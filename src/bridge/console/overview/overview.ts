import type { Config } from "../../../config/config.ts";
import type { Overview, Queries } from "../../../console/ports.ts";
import type { Services } from "../../services.ts";
import { followControl } from "../../operator/follow-control.ts";
import { followJournal } from "../doubts/follow-journal.ts";
import { watchCluster } from "./watch-cluster.ts";

export type OverviewQueries = Pick<Queries, "overview" | "doubts" | "doubt" | "onChange"> & {
  close: () => Promise<void>;
};

/** Changes are collected: they come by the thousand while the journal is read. */
const TELL_EVERY_MS = 500;

/** What the overview and the doubts pages show. Opens at once, whether or not Kafka answers. */
export const openOverview = (config: Config, services: Services): OverviewQueries => {
  const cluster = services.createCluster();
  const listeners = new Set<() => void>();
  let isChanged = false;
  const changed = (): void => {
    isChanged = true;
  };
  const timer = setInterval(() => {
    if (!isChanged) return;
    isChanged = false;
    for (const hear of listeners) hear();
  }, TELL_EVERY_MS);
  const rangesOf = (topic: string) => () => cluster.ranges(topic);

  const journal = followJournal(config, services, { ranges: rangesOf(config.topics.journal), changed });
  const control = followControl(config, services, { ranges: rangesOf(config.topics.control), changed });
  const watched = watchCluster(config, services, { cluster, journal: journal.updateRanges, changed });

  return {
    overview: (): Overview => ({
      atMs: services.clock.now(),
      ...watched.overview(),
      doubts: journal.doubts(),
      pauses: control.isRead()
        ? {
            commands: control.entries().get("commands") ?? null,
            reconcile: control.entries().get("reconcile") ?? null,
          }
        : null,
    }),
    doubts: journal.page,
    doubt: journal.of,
    onChange: (hear) => {
      // Wrapped, so that one function can subscribe twice.
      const own = (): void => hear();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    close: async () => {
      clearInterval(timer);
      listeners.clear();
      await Promise.all([journal.close(), control.stop(), watched.close()]);
      await cluster.close();
    },
  };
};
