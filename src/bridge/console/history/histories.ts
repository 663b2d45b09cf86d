import type { Config } from "../../../config/config.ts";
import type { CommandHistory, Progress, Queries, TransactionHistory } from "../../../console/ports.ts";
import type { Cluster } from "../../../kafka/cluster/cluster.ts";
import { decoder } from "../../../kafka/schema/codec.ts";
import { readSchema } from "../../../kafka/schema/schemas.ts";
import type { TransactionStatusUpdated } from "../../../records.ts";
import { messageOf, UsageError } from "../../../runtime/errors.ts";
import type { Services } from "../../services.ts";
import { truncate } from "../truncate.ts";
import { clampInstant } from "../ranges.ts";
import { commandRecords } from "./command-records.ts";
import { commandSearch } from "./command-search.ts";
import { createSearches } from "./searches.ts";
import { transactionSearch } from "./transaction-search.ts";

export type Histories = Pick<Queries, "command" | "transaction"> & {
  /** Ends all searches. */
  close: () => Promise<void>;
};

const MAX_ID_BYTES = 2_048;
const MAX_SHOWN_ID_LENGTH = 200;
/** Start times are rounded down, so that "an hour ago" asked twice is the same search. */
const SINCE_STEP_MS = 60_000;

const problemOf = (id: string): string | null => {
  if (id === "") return "An empty id names nothing.";
  return Buffer.byteLength(id) > MAX_ID_BYTES
    ? `An id of more than ${MAX_ID_BYTES} bytes is not searched for.`
    : null;
};

const nothing = (problem: string): { notes: readonly string[]; progress: Progress } => ({
  notes: [],
  progress: { isComplete: true, read: 0, total: 0, sinceMs: null, problem },
});

/**
 * The histories of commands and transactions.
 * @param changed is called while a search finds more
 */
export const openHistories = (
  config: Config,
  services: Services,
  cluster: Cluster,
  changed: () => void,
): Histories => {
  const { clock } = services;
  const deps = { config, services, cluster };
  const records = commandRecords(config, services);
  const schema = readSchema("transaction-status-updated");
  const decode = decoder<TransactionStatusUpdated>(schema, services.registry, clock.monotonic);
  const describeError = (error: unknown): string =>
    error instanceof UsageError ? error.message : `It could not be read to its end: ${messageOf(error)}.`;
  const commands = createSearches<CommandHistory>({ clock, describeError }, changed);
  const transactions = createSearches<TransactionHistory>({ clock, describeError }, changed);

  const since = (sinceMs: number | null): number | null =>
    sinceMs === null || !Number.isFinite(sinceMs)
      ? null
      : Math.floor(Math.min(clampInstant(sinceMs), clock.now()) / SINCE_STEP_MS) * SINCE_STEP_MS;

  return {
    command: (commandId, sinceMs) => {
      const problem = problemOf(commandId);
      if (problem !== null)
        return { commandId: truncate(commandId, MAX_SHOWN_ID_LENGTH), steps: [], ...nothing(problem) };
      const from = since(sinceMs);
      return commands.ask(`${from} ${commandId}`, () => commandSearch({ ...deps, records }, commandId, from));
    },
    transaction: (transactionId, sinceMs) => {
      const problem = problemOf(transactionId);
      if (problem !== null)
        return {
          transactionId: truncate(transactionId, MAX_SHOWN_ID_LENGTH),
          direction: "UNKNOWN",
          mainFlow: [],
          statuses: [],
          ...nothing(problem),
        };
      const from = since(sinceMs);
      return transactions.ask(`${from} ${transactionId}`, () =>
        transactionSearch({ ...deps, decode }, transactionId, from),
      );
    },
    close: async () => {
      await Promise.all([commands.close(), transactions.close()]);
    },
  };
};
