import { finalOf, type Result } from "./result.ts";
import type { World } from "./world.ts";

type Totals = { executedTwice: { quoteId: string }[]; repetitions: number };

/** The tally when all promises were kept. Lists hold commandIds. */
export const correctTally = (sent: number) => ({
  sent,
  unanswered: [] as string[],
  /** With final results that differ. */
  conflictingFinals: [] as string[],
  /** SUCCEEDED, but not executed. */
  falseSuccesses: [] as string[],
  /** FAILED or REJECTED, but executed. */
  falseFailures: [] as string[],
  executedTwice: [] as Totals["executedTwice"],
  /** Calls for a quote that had been executed before. */
  repetitions: 0,
  committed: sent,
});

/** What happened to accepts, as seen from outside. Each accept has a quote of its own. */
export type AcceptTally = ReturnType<typeof correctTally> & { succeeded: number; inDoubt: number };

/** Keeps the body below the sandbox's limit of 1 MB. */
const QUOTES_PER_QUESTION = 10_000;

/** How often the sandbox executed each quote. */
const executionsOf = async (
  world: Pick<World, "sandbox">,
  quoteIds: readonly string[],
): Promise<Map<string, number>> => {
  const counts = new Map<string, number>();
  for (let from = 0; from < quoteIds.length; from += QUOTES_PER_QUESTION) {
    const asked = quoteIds.slice(from, from + QUOTES_PER_QUESTION);
    const { executions } = await world.sandbox<{ executions: number[] }>("/_sandbox/executions", asked);
    asked.forEach((quoteId, nth) => counts.set(quoteId, executions[nth]!));
  }
  return counts;
};

/**
 * Compares results with what the sandbox executed.
 * @param observed `quotes`: the quoteId of each commandId; `results`: its results in the order of the topic
 */
export const tallyAccepts = async (
  world: Pick<World, "sandbox">,
  {
    quotes,
    results,
    committed,
  }: {
    quotes: ReadonlyMap<string, string>;
    results: ReadonlyMap<string, readonly Result[]>;
    committed: number;
  },
): Promise<AcceptTally> => {
  const executions = await executionsOf(world, [...quotes.values()]);
  const { executedTwice, repetitions } = await world.sandbox<Totals>("/_sandbox/executions");
  const tally: AcceptTally = {
    ...correctTally(quotes.size),
    succeeded: 0,
    inDoubt: 0,
    executedTwice,
    repetitions,
    committed,
  };
  for (const [commandId, quoteId] of quotes) {
    const list = results.get(commandId) ?? [];
    const finals = new Set(list.filter(({ final }) => final).map((result) => JSON.stringify(result)));
    if (finals.size > 1) tally.conflictingFinals.push(commandId);
    const end = finalOf(list);
    const executed = executions.get(quoteId)! > 0;
    if (list.length === 0) tally.unanswered.push(commandId);
    else if (!end) tally.inDoubt += 1;
    else if (end.outcome === "SUCCEEDED") {
      tally.succeeded += 1;
      if (!executed) tally.falseSuccesses.push(commandId);
    } else if (executed) tally.falseFailures.push(commandId);
  }
  return tally;
};
