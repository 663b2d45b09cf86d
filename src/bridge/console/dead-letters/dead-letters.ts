import type { Config } from "../../../config/config.ts";
import type { Queries } from "../../../console/ports.ts";
import type { Cluster } from "../../../kafka/cluster/cluster.ts";
import { createReread } from "../../../kafka/consume/reread.ts";
import type { Services } from "../../services.ts";
import { explainOutage } from "../../outage.ts";
import { letterDetail } from "./letter-detail.ts";
import { lettersPage } from "./letters-page.ts";
import { limitConcurrency } from "../limit-concurrency.ts";

export type DeadLetterQueries = Pick<Queries, "letters" | "letter"> & { close: () => Promise<void> };

const ANSWER_MS = 60_000;

/** Reads dead letters for pages: a list page, or one letter. */
export const deadLetterQueries = (
  config: Config,
  services: Services,
  cluster: Cluster,
): DeadLetterQueries => {
  const reader = services.ownReader(config.topics.deadLetters, "console");
  const { reread, stop } = createReread(reader, services);
  const inTurn = limitConcurrency();
  const answered = <T>(signal: AbortSignal, ask: (within: AbortSignal) => Promise<T>): Promise<T> => {
    const turn = (within: AbortSignal): Promise<T> => inTurn(within, () => ask(within));
    return explainOutage(config, services.clock.withDeadline(ANSWER_MS, signal, turn), signal);
  };
  return {
    letters: (filter, from, signal) =>
      answered(signal, (within) => lettersPage({ config, services, cluster, signal: within }, filter, from)),
    letter: (ref, signal) =>
      answered(signal, (within) => letterDetail({ config, services, cluster, signal: within }, reread, ref)),
    close: stop,
  };
};
