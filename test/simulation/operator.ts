import { codec } from "./stubs.ts";
import { createClock } from "./clock.ts";
import type { SimulationContext } from "./replica.ts";
import { commandOf, publisherFor } from "./replica.ts";
import { commandNameOf } from "./scenario.ts";
import type { SimulatedProcess } from "./simulator.ts";

/** How far the clock of an operator's machine may be off: nobody monitors it. */
const CLOCKS_MS = [0, 0, -30_000, 5_000, 30_000, 400_000];

/**
 * An operator who looks up the execution with the partner and runs `resolve` truthfully. The process may die
 * at any moment, and the machine's clock may be wrong.
 */
export const startOperator = (context: SimulationContext, operator: string): void => {
  const { simulator, scenario, oracle, log, code } = context;
  const [name] = oracle.openDoubts();
  const sent = scenario.commands.find((command) => commandNameOf(command) === name && !command.invalid);
  if (!sent) return;
  const process: SimulatedProcess = { name: operator, alive: true, frozenUntilMs: 0 };
  const skew = { wallMs: simulator.random.pick(CLOCKS_MS), monotonicLostMs: 0 };
  const clock = createClock(simulator, process, skew);
  const view = code.createView({ partitions: scenario.journalPartitions, partitionOf: log.partitionOf });
  const finder = code.createCommandFinder(sent.commandId);
  log.tail(process, view, null, finder.take);
  const { key } = sent;
  const ref = code.journalRef(commandOf(sent));
  const signal = new AbortController().signal;
  const publish = publisherFor(context, process);
  const journal = log.journalFor(process, () => undefined);
  const deps = {
    clock,
    view,
    codec,
    publish,
    newId: () => operator,
    timeOf: finder.timeOf,
    olderElsewhere: finder.olderElsewhere,
    random: () => simulator.random.next(),
    observer: { retrying: () => undefined },
    options: { backoff: { baseMs: 50, maxMs: 500 } },
    journal: {
      ...journal,
      append: (...appended: Parameters<typeof journal.append>) => {
        const [, step] = appended;
        // From here on the quote may be accepted again: it was not executed, and no call can still be open.
        if (step.kind === "concluded" && step.outcome === "FAILED") oracle.proven({ key });
        return journal.append(...appended);
      },
    },
  };
  const decide = async (): Promise<void> => {
    await view.untilReady(signal);
    const as = oracle.executedBy(commandNameOf(sent)) ? "succeeded" : "not-executed";
    simulator.note(() => `${operator} says that ${sent.commandId} is ${as}`);
    const end = await code.endInJournal(
      deps,
      ref,
      { as, by: operator, note: "looked", force: false, transactionId: null },
      signal,
    );
    simulator.note(() => `${operator} hears ${end.kind}`);
    process.alive = false;
  };
  decide().catch((error: unknown) => oracle.fail(`resolve rejected with ${String(error)}`));
  if (simulator.nowMs() < scenario.calmAtMs && simulator.random.chance(0.3))
    simulator.after(simulator.random.int(0, 200), process, () => {
      simulator.note(() => `${operator} dies`);
      process.alive = false;
    });
};
