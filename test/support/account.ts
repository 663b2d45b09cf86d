import { finalOf, type Result } from "./result.ts";
import type { World } from "./world.ts";

type Totals = {
  executions: number;
  executedTwice: { quoteId: string }[];
  repetitions: number;
  exact: boolean;
};

/** What the world outside saw of accepts, each of a quote of its own. Lists hold commandIds. */
export type Account = {
  sent: number;
  unanswered: string[];
  /** More than one final result, and they differ. */
  twoFinals: string[];
  succeeded: number;
  inDoubt: number;
  /** SUCCEEDED, and not executed. */
  falseYes: string[];
  /** FAILED or REJECTED, and executed. */
  falseNo: string[];
  executedTwice: Totals["executedTwice"];
  /** Calls for a quote that was executed before. */
  repetitions: number;
  /** Whether the partner's counters are complete. */
  exact: boolean;
  committed: number;
};

/** What every account must come to, whatever went wrong. */
export const flawless = (sent: number) => ({
  sent,
  unanswered: [],
  twoFinals: [],
  falseYes: [],
  falseNo: [],
  executedTwice: [],
  repetitions: 0,
  exact: true,
  committed: sent,
});

/** A body that the sandbox takes: it refuses more than 1 MB. */
const QUOTES_PER_QUESTION = 10_000;

/** How often the partner executed each quote. */
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

/** @param books `quotes`: the quote of each command; `results`: all that was published for each, in that order */
export const drawUp = async (
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
): Promise<Account> => {
  const executions = await executionsOf(world, [...quotes.values()]);
  const { executedTwice, repetitions, exact } = await world.sandbox<Totals>("/_sandbox/executions");
  const account: Account = {
    sent: quotes.size,
    unanswered: [],
    twoFinals: [],
    succeeded: 0,
    inDoubt: 0,
    falseYes: [],
    falseNo: [],
    executedTwice,
    repetitions,
    exact,
    committed,
  };
  for (const [commandId, quoteId] of quotes) {
    const list = results.get(commandId) ?? [];
    const finals = new Set(list.filter(({ final }) => final).map((result) => JSON.stringify(result)));
    if (finals.size > 1) account.twoFinals.push(commandId);
    const end = finalOf(list);
    const executed = executions.get(quoteId)! > 0;
    if (list.length === 0) account.unanswered.push(commandId);
    else if (!end) account.inDoubt += 1;
    else if (end.outcome === "SUCCEEDED") {
      account.succeeded += 1;
      if (!executed) account.falseYes.push(commandId);
    } else if (executed) account.falseNo.push(commandId);
  }
  return account;
};
