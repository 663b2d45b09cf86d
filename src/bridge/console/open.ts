import type { Config } from "../../config/config.ts";
import type { Acting, Reading } from "../../console/ports.ts";
import type { Services } from "../services.ts";
import { openActing } from "./acting.ts";
import { auditReading } from "./audit.ts";
import { letterReading } from "./letter-reading.ts";
import { openOverview } from "./overview.ts";
import { openStories } from "./stories.ts";

export type ConsoleTopics = { reading: Reading; acting: Acting; close: () => Promise<void> };

/** All that pages can ask and do, over the topics. Opens at once, whether Kafka answers or not: what is not known yet is said so. */
export const openConsole = (config: Config, services: Services): ConsoleTopics => {
  const { log } = services;
  const cluster = services.createCluster();
  const heard = new Set<() => void>();
  const changed = (): void => heard.forEach((hear) => hear());

  const overview = openOverview(config, services);
  const stories = openStories(config, services, cluster, changed);
  const letters = letterReading(config, services, cluster);
  const acting = openActing(config, services, {
    warn: (sentence) => log.warn({ sentence }, "console.warning"),
  });

  return {
    reading: {
      ...auditReading(config, services, cluster),
      overview: overview.overview,
      doubts: overview.doubts,
      doubt: overview.doubt,
      command: stories.command,
      transaction: stories.transaction,
      letters: letters.letters,
      letter: letters.letter,
      onChange: (hear) => {
        heard.add(hear);
        const unhear = overview.onChange(hear);
        return () => {
          heard.delete(hear);
          unhear();
        };
      },
    },
    acting,
    close: async () => {
      await Promise.all([acting.close(), overview.close(), stories.close(), letters.close()]);
      await cluster.close();
    },
  };
};
