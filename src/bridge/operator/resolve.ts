import { randomUUID } from "node:crypto";
import { resultIdOf } from "../../commands-to-results/conclude.ts";
import { choose, createFinder } from "../../commands-to-results/journal-rules/find-doubt.ts";
import type { Position } from "../../commands-to-results/journal-rules/entry.ts";
import { quotesOf, resolve } from "../../commands-to-results/journal-rules/resolve.ts";
import { quoteKey } from "../../commands-to-results/quote-key.ts";
import type { Config } from "../../config/config.ts";
import { inspect } from "../../kafka/cluster/inspect.ts";
import type { Actor } from "../../operator/action.ts";
import type { Asked, Ended } from "../../operator/resolve.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { openJournal } from "../journal-wiring/open.ts";
import type { Kit } from "../kit.ts";
import { openResults } from "../results.ts";

const READ_TIMEOUT_MS = 120_000;
const DECIDE_TIMEOUT_MS = 60_000;
const BACKOFF = { baseMs: 250, maxMs: 5_000 };

/** Reads the journal, finds the command's doubt, and ends it with an operator's word. Rejects when Kafka does not let it finish. */
export const resolveDoubt = async (
  config: Config,
  kit: Kit,
  { commandId, quoteId, as, force }: Asked,
  { by, note }: Actor,
): Promise<Ended> => {
  const { clock } = kit;
  const placeOf = ({ partition, offset }: Position): string =>
    `${config.topics.journal}[${partition}]@${offset}`;
  const cluster = await kit.connectCluster();
  const { schemaIds, problems } = await inspect(
    { names: config.topics, used: ["journal", "results"], room: [], lookbackMs: null },
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
    const deps = {
      ...kit,
      view,
      journal,
      codec: results.codec,
      publish: results.publishLate,
      newId: () => randomUUID(),
      finalResultId: (id: string) => resultIdOf(id, true),
      timeOf: finder.timeOf,
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
    // Both sides, since what counts as one spelling may have changed since the key was written.
    const isQuote = quoteId === null ? null : (key: string) => quoteKey(key) === quoteKey(quoteId);
    const chosen = choose(finder.refs(), view.look, isQuote);
    const decide = async (signal: AbortSignal): Promise<Ended> => {
      if (chosen.kind === "unknown") return chosen;
      if (chosen.kind === "found") {
        const ended = await resolve(deps, chosen.ref, { as, by, note, force }, signal);
        return "position" in ended ? { ...ended, place: placeOf(ended.position) } : ended;
      }
      return { kind: "several", quotes: await quotesOf(deps, chosen.refs, signal) };
    };
    return await clock.withDeadline(DECIDE_TIMEOUT_MS, undefined, decide).catch((error: unknown) => {
      throw new UsageError(
        `Nobody knows whether the decision on command ${commandId} was written (${messageOf(error)}): run the same again, and it shows what stands.`,
        { cause: error },
      );
    });
  } finally {
    await Promise.all([results.close(), room.close()]);
  }
};
