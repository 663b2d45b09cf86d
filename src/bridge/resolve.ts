import { resultIdOf } from "../commands-to-results/conclude.ts";
import {
  createFinder,
  resolve,
  type Decision,
  type Resolved,
} from "../commands-to-results/journal/resolve.ts";
import type { Config } from "../config/config.ts";
import { inspect } from "../kafka/cluster/inspect.ts";
import { UsageError } from "../runtime/errors.ts";
import { openJournal } from "./journal/open.ts";
import type { Kit } from "./kit.ts";
import { openResults } from "./results.ts";

const READ_TIMEOUT_MS = 120_000;
const DECIDE_TIMEOUT_MS = 60_000;
const BACKOFF = { baseMs: 250, maxMs: 5_000 };

/** Reads the journal, finds the command's doubt, and ends it with an operator's word. Rejects when Kafka does not let it finish. */
export const resolveDoubt = async (
  config: Config,
  kit: Kit,
  commandId: string,
  decision: Decision,
): Promise<Resolved> => {
  const { clock } = kit;
  const cluster = await kit.connectCluster();
  const { schemaIds, problems } = await inspect(
    { names: config.topics, used: ["journal", "results"], room: [] },
    { cluster, registry: kit.registry },
  );
  await cluster.close();
  const missing = problems[0];
  if (missing !== undefined) throw new UsageError(missing);

  const results = openResults(config, kit, schemaIds.get("command-result") ?? 0);
  const finder = createFinder(commandId);
  const room = await openJournal(config, kit, schemaIds.get("command-journal-entry") ?? 0, {
    askNotes: () => Promise.resolve([]),
    see: finder.take,
  });
  const { view, journal } = room;
  try {
    await clock.withDeadline(READ_TIMEOUT_MS, undefined, (signal) => view.untilReady(signal));
    const refs = finder.refs();
    // The same commandId under several quotes: the one in doubt is meant.
    const ref = refs.find((candidate) => view.look(candidate).kind === "doubt") ?? refs[0];
    if (!ref) return { kind: "unknown" };
    const deps = {
      ...kit,
      view,
      journal,
      codec: results.codec,
      publish: results.publish,
      finalResultId: (id: string) => resultIdOf(id, true),
      observer: { takeover: () => undefined, breaker: () => undefined, retrying: () => undefined },
      options: {
        callWithinMs: 0,
        beginWithinMs: 0,
        takeoverMarginMs: 0,
        deadlineMs: DECIDE_TIMEOUT_MS,
        breakerFailures: 1,
        breakerPauseMs: 0,
        backoff: BACKOFF,
      },
    };
    return await clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, (signal) =>
      resolve(deps, ref, decision, signal),
    );
  } finally {
    await Promise.all([results.close(), room.close()]);
  }
};
