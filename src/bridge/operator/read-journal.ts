import type { Config } from "../../config/config.ts";
import { inspect } from "../../kafka/cluster/inspect.ts";
import { DeadlineError, type Clock } from "../../runtime/clock.ts";
import { NothingDone } from "../../operator/audit.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { JournalRoom } from "../journal-wiring/open.ts";
import type { Services } from "../services.ts";
import { withCluster } from "../with-cluster.ts";

const READ_TIMEOUT_MS = 300_000;
const CHECK_EVERY_MS = 50;

/** The latest schemas of these topics. Throws a UsageError if a topic or a schema is missing. */
export const schemaIdsOf = async (
  { topics }: Config,
  services: Services,
  used: readonly ("journal" | "results")[],
): Promise<ReadonlyMap<string, number>> => {
  const { schemaIds, problems } = await withCluster(services, (cluster) =>
    inspect(
      { names: topics, used, largestRecords: [], lookbackMs: null },
      { cluster, registry: services.registry },
    ),
  );
  const missing = problems[0];
  if (missing !== undefined) throw new UsageError(missing);
  return schemaIds;
};

/**
 * Resolves when the journal is read to the end that it had when it was opened. Throws NothingDone where it
 * holds an entry that this version cannot read. After a while rejects with what was waited for.
 */
export const untilRead = (
  { view, unreadable, schemaFault }: Pick<JournalRoom, "view" | "unreadable" | "schemaFault">,
  clock: Clock,
  stopped: AbortSignal | undefined,
): Promise<void> => {
  const reading = clock.withDeadline(READ_TIMEOUT_MS, stopped, async (signal) => {
    while (!view.ready()) {
      if (view.halted())
        throw new NothingDone(
          `Nobody knows what is in doubt, and nothing was done, because an entry of the journal cannot be read by this version (${unreadable()}): see "The journal cannot be read" in docs/failures.md.`,
        );
      await clock.sleep(CHECK_EVERY_MS, signal);
    }
  });
  return reading.catch((error: unknown) => {
    throw error instanceof DeadlineError ? (schemaFault() ?? error) : error;
  });
};
