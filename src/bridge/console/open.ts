import type { Config } from "../../config/config.ts";
import type { Acting, Reading } from "../../console/ports.ts";
import type { Kit } from "../kit.ts";
import { openActing } from "./actions/actions.ts";
import { auditReading } from "./audit/audit-pages.ts";
import { letterReading } from "./dead-letters/dead-letters.ts";
import { openOverview } from "./overview/overview.ts";
import { openStories } from "./history/histories.ts";

export type ConsoleTopics = { reading: Reading; acting: Acting; close: () => Promise<void> };

/** All that pages can ask and do, over the topics. Opens at once, whether Kafka answers or not: what is not known yet is said so. */
export const openConsole = (config: Config, kit: Kit): ConsoleTopics => {
  const { log } = kit;
  const cluster = kit.createCluster();
  const heard = new Set<() => void>();
  const changed = (): void => heard.forEach((hear) => hear());

  const overview = openOverview(config, kit);
  const stories = openStories(config, kit, cluster, changed);
  const letters = letterReading(config, kit, cluster);
  const acting = openActing(config, kit, { warn: (sentence) => log.warn({ sentence }, "console.warning") });

  return {
    reading: {
      ...auditReading(config, kit, cluster),
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
