import { codec, finalResultId } from "./bridge-parts.ts";
import { createClock } from "./clock.ts";
import type { Surroundings } from "./replica.ts";
import { commandOf, publisherFor } from "./replica.ts";
import { nameOf } from "./scenario.ts";
import type { Process } from "./world.ts";

/** How far the clock of a person's machine may be from the truth: nobody has seen to it. */
const CLOCKS_MS = [0, 0, -30_000, 5_000, 30_000, 400_000];

/**
 * A person who looks at the partner's books and then tells the truth, at a command line that may die at any moment, on a machine whose clock
 * may say anything.
 */
export const visit = (around: Surroundings, operator: string): void => {
  const { world, scenario, oracle, log, subject } = around;
  const [name] = oracle.openDoubts();
  const sent = scenario.commands.find((command) => nameOf(command) === name && !command.invalid);
  if (!sent) return;
  const process: Process = { name: operator, alive: true, frozenUntilMs: 0 };
  const skew = { wallMs: world.random.pick(CLOCKS_MS), monotonicLostMs: 0 };
  const clock = createClock(world, process, skew, subject);
  const view = subject.createView({ partitions: scenario.journalPartitions, partitionOf: log.partitionOf });
  log.tail(process, view);
  const { key } = sent;
  const ref = subject.journalRef(commandOf(sent));
  const signal = new AbortController().signal;
  const publish = publisherFor(around, process);
  const journal = log.journalFor(process, () => undefined);
  const deps = {
    clock,
    view,
    codec,
    publish,
    finalResultId,
    newId: () => operator,
    timeOf: log.timeOf,
    random: () => world.random.next(),
    observer: { takeover: () => undefined, breaker: () => undefined, retrying: () => undefined },
    options: {
      callWithinMs: 0,
      beginWithinMs: 0,
      takeoverMarginMs: 0,
      deadlineMs: 0,
      breakerFailures: 0,
      breakerPauseMs: 0,
      backoff: { baseMs: 50, maxMs: 500 },
    },
    journal: {
      ...journal,
      append: (at: string, entry: Parameters<typeof journal.append>[1]) => {
        // From here on the quote may be tried again: the books were looked at, and no call can still be on its way.
        const { step } = entry;
        if (step.kind === "concluded" && step.outcome === "FAILED") oracle.proven({ key });
        return journal.append(at, entry);
      },
    },
  };
  const decide = async (): Promise<void> => {
    await view.untilReady(signal);
    const as = oracle.executedBy(nameOf(sent)) ? "succeeded" : "not-executed";
    world.note(() => `${operator} says that ${sent.commandId} is ${as}`);
    const end = await subject.resolve(deps, ref, { as, by: operator, note: "looked", force: false }, signal);
    world.note(() => `${operator} hears ${end.kind}`);
    process.alive = false;
  };
  decide().catch((error: unknown) => oracle.fail(`resolve rejected with ${String(error)}`));
  if (world.nowMs() < scenario.calmAtMs && world.random.chance(0.3))
    world.after(world.random.int(0, 200), process, () => {
      world.note(() => `${operator} dies`);
      process.alive = false;
    });
};
