import type { Config } from "../../config/config.ts";
import type { Overview, Reading } from "../../console/ports.ts";
import type { Services } from "../services.ts";
import { followControl } from "../operator/follow-control.ts";
import { followJournal } from "./doubts/follow-journal.ts";
import { watchCluster } from "./watch-cluster.ts";

export type OverviewReading = Pick<Reading, "overview" | "doubts" | "doubt" | "onChange"> & {
  close: () => Promise<void>;
};

/** Changes come by the thousand while the journal is read. */
const TELL_EVERY_MS = 500;

/** What the first page shows, and the doubts. Opens at once, whether or not Kafka answers, and closes what it has opened. */
export const openOverview = (config: Config, services: Services): OverviewReading => {
  const cluster = services.createCluster();
  const hearers = new Set<() => void>();
  let isChanged = false;
  const changed = (): void => {
    isChanged = true;
  };
  const telling = setInterval(() => {
    if (!isChanged) return;
    isChanged = false;
    for (const hear of hearers) hear();
  }, TELL_EVERY_MS);
  const rangesOf = (topic: string) => () => cluster.ranges(topic);

  const journal = followJournal(config, services, { ranges: rangesOf(config.topics.journal), changed });
  const control = followControl(config, services, { ranges: rangesOf(config.topics.control), changed });
  const watched = watchCluster(config, services, { cluster, journal: journal.saw, changed });

  return {
    overview: (): Overview => ({
      atMs: services.clock.now(),
      ...watched.overview(),
      doubts: journal.doubts(),
      pauses: control.isRead()
        ? {
            commands: control.words().get("commands") ?? null,
            reconcile: control.words().get("reconcile") ?? null,
          }
        : null,
    }),
    doubts: journal.page,
    doubt: journal.of,
    onChange: (hear) => {
      // Each has its own entry, whoever hears twice.
      const own = (): void => hear();
      hearers.add(own);
      return () => void hearers.delete(own);
    },
    close: async () => {
      clearInterval(telling);
      hearers.clear();
      await Promise.all([journal.close(), control.stop(), watched.close()]);
      await cluster.close();
    },
  };
};
