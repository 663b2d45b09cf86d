import type { Config } from "../../config/config.ts";
import type { Actions, Queries } from "../../console/ports.ts";
import type { Services } from "../services.ts";
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
export const openConsole = (config: Config, services: Services): ConsoleTopics => {
  const { log } = services;
  const cluster = services.createCluster();
  const listeners = new Set<() => void>();
  const changed = (): void => listeners.forEach((hear) => hear());

  const overview = openOverview(config, services, changed);
  const histories = openHistories(config, services, cluster, changed);
  const letters = deadLetterQueries(config, services, cluster);
  const actions = openActions(config, services, {
    warn: (sentence) => log.warn({ sentence }, "console.warning"),
  });

  return {
    queries: {
      ...auditQuery(config, services, cluster),
      overview: overview.overview,
      doubts: overview.doubts,
      doubt: overview.doubt,
      command: histories.command,
      transaction: histories.transaction,
      letters: letters.letters,
      letter: letters.letter,
      onChange: (hear) => {
        listeners.add(hear);
        return () => void listeners.delete(hear);
      },
    },
    actions,
    close: async () => {
      await Promise.all([actions.close(), overview.close(), histories.close(), letters.close()]);
      await cluster.close();
    },
  };
};
