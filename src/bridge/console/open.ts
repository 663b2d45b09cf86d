import type { Config } from "../../config/config.ts";
import type { Actions, Queries } from "../../console/ports.ts";
import type { Kit } from "../kit.ts";
import { openActions } from "./actions/actions.ts";
import { auditQuery } from "./audit/audit-pages.ts";
import { deadLetterQueries } from "./dead-letters/dead-letters.ts";
import { openOverview } from "./overview/overview.ts";
import { openHistories } from "./history/histories.ts";

export type ConsoleTopics = { queries: Queries; actions: Actions; close: () => Promise<void> };

/**
 * All that pages can ask and do. Opens at once, whether or not Kafka answers: until then it says "not known
 * yet".
 */
export const openConsole = (config: Config, kit: Kit): ConsoleTopics => {
  const { log } = kit;
  const cluster = kit.createCluster();
  const listeners = new Set<() => void>();
  const changed = (): void => listeners.forEach((hear) => hear());

  const overview = openOverview(config, kit);
  const histories = openHistories(config, kit, cluster, changed);
  const letters = deadLetterQueries(config, kit, cluster);
  const actions = openActions(config, kit, { warn: (sentence) => log.warn({ sentence }, "console.warning") });

  return {
    queries: {
      ...auditQuery(config, kit, cluster),
      overview: overview.overview,
      doubts: overview.doubts,
      doubt: overview.doubt,
      command: histories.command,
      transaction: histories.transaction,
      letters: letters.letters,
      letter: letters.letter,
      onChange: (hear) => {
        listeners.add(hear);
        const unhear = overview.onChange(hear);
        return () => {
          listeners.delete(hear);
          unhear();
        };
      },
    },
    actions,
    close: async () => {
      await Promise.all([actions.close(), overview.close(), histories.close(), letters.close()]);
      await cluster.close();
    },
  };
};
