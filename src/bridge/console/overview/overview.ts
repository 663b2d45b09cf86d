import type { Config } from "../../../config/config.ts";
import type { Overview, Queries } from "../../../console/ports.ts";
import type { Services } from "../../services.ts";
import { followControl } from "../../operator/follow-control.ts";
import { followJournal } from "../doubts/follow-journal.ts";
import { watchCluster } from "./watch-cluster.ts";

export type OverviewQueries = Pick<Queries, "overview" | "doubts" | "doubt"> & {
  close: () => Promise<void>;
};

/** Changes are collected: they come by the thousand while the journal is read. */
const TELL_EVERY_MS = 500;

/**
 * What the overview and the doubts pages show. Opens at once, whether or not Kafka answers.
 * @param tell called when it has changed
 */
export const openOverview = (config: Config, services: Services, tell: () => void): OverviewQueries => {
  const cluster = services.createCluster();
  let isChanged = false;
  const changed = (): void => {
    isChanged = true;
  };
  const timer = setInterval(() => {
    if (!isChanged) return;
    isChanged = false;
    tell();
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
    close: async () => {
      clearInterval(timer);
      await Promise.all([journal.close(), control.stop(), watched.close()]);
      await cluster.close();
    },
  };
};
