import { Command, InvalidArgumentError } from "commander";
import { readRef, refOf } from "../operate/dead-letters/letter.ts";
import { planLines, planReplay, type Plan, type Planned } from "../operate/dead-letters/plan.ts";
import { replay } from "../operate/dead-letters/replay.ts";
import type { Selection } from "../operate/dead-letters/read.ts";
import type { LetterEnd } from "../operate/dead-letters/targets.ts";
import { messageOf } from "../runtime/errors.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { examples } from "./help.ts";
import { EXIT, sayProgress, type ExitCode, type Io } from "./io.ts";
import { pastMs } from "./option-values.ts";
import { openTool } from "./tool.ts";

export type SelectionFlags = { reason?: string; since?: number; until?: number };

/** Adds the options that choose dead letters. */
export const withSelection = (command: Command): Command =>
  command
    .option("--reason <reason>", "only this reason, such as UNREADABLE_COMMAND")
    .option("--since <time>", "not older: an instant, a day in UTC, or an age (24h, 7d)", pastMs)
    .option("--until <time>", "older than this; the same forms", pastMs);

export const selectionOf = ({ reason, since, until }: SelectionFlags): Selection => ({
  reason,
  sinceMs: since,
  untilMs: until,
});

/** Whether any of the options is given. */
export const isChosen = ({ reason, since, until }: SelectionFlags): boolean =>
  [reason, since, until].some((each) => each !== undefined);

export const letterRef = (text: string): RecordPosition => {
  const found = readRef(text);
  if (found === null)
    throw new InvalidArgumentError("It must be a place in the dead-letter topic such as 3/4711.");
  return found;
};

type Flags = SelectionFlags & ActorFlags & { dryRun?: boolean };

/** Says how many letters came to an end so far, after every so many. */
const PROGRESS_EVERY = 100;
const RUN_AGAIN = "Run it again: what the audit topic says was sent is skipped.";

/** Where the letters stand now. */
const summary = (places: readonly string[], total: number): string => {
  const left = total > places.length ? `; ${total - places.length} not sent, or not known to be` : "";
  if (places.length === 0) return `Nothing was sent${left}.`;
  return `${places.length} sent, the first: ${places[0]}, the last: ${places.at(-1)}${left}.`;
};

const run = async (io: Io, refs: readonly RecordPosition[], flags: Flags): Promise<ExitCode> => {
  const tool = openTool(io);
  const request = { letters: refs.length > 0 ? { refs } : selectionOf(flags) };
  const places: string[] = [];
  let [total, ends] = [0, 0];

  /** Named letters must be sent; a filter must leave none that was not sent before. */
  const leftOut = ({ skipped, unknown }: Plan): number =>
    unknown.length + skipped.filter((each) => refs.length > 0 || each.skipped.wasSent !== true).length;
  const planned = (plan: Plan): void => {
    total = plan.send.length;
    planLines(plan).forEach(io.out);
  };
  const ended = ({ letter }: Planned, end: LetterEnd): void => {
    ends += 1;
    const ref = refOf(letter.place);
    if (end.end === "sent") places.push(end.where);
    else if (end.end === "left") io.err(`${ref} was not replayed: ${end.reason}.`);
    else
      io.err(
        `${ref} may have been replayed, or not: ${end.reason}. Look for it in its topic before it is sent once more.`,
      );
    if (ends % PROGRESS_EVERY === 0) io.err(`${ends} of ${total} so far`);
  };
  const onProgress = sayProgress(io, "the dead letters");

  if (flags.dryRun === true) {
    const plan = await planReplay(tool, request, { onProgress }, io.stopped);
    planned(plan);
    io.out("Dry run: nothing was sent.");
    return leftOut(plan) > 0 ? EXIT.failed : EXIT.done;
  }
  try {
    const hooks = { planned, ended, warn: io.err, onProgress };
    const { plan, unsent, reason } = await replay(tool, actorOf(flags), request, hooks, io.stopped);
    io.out(summary(places, ends));
    if (unsent > 0) io.err(`${unsent} of ${total} were not sent: ${reason}. ${RUN_AGAIN}`);
    return leftOut(plan) === 0 && places.length === total ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (ends > 0) io.out(summary(places, ends));
    if (!io.stopped.aborted) throw error;
    io.err(`It was cancelled (${messageOf(io.stopped.reason)}) after ${ends} of ${total}. ${RUN_AGAIN}`);
    return EXIT.failed;
  }
};

export const replayCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  withActor(withSelection(new Command("replay")))
    .description("Send dead letters again to where they came from, each once.")
    .argument(
      "[refs...]",
      "partition/offset of each in the dead-letter topic",
      (text: string, all: RecordPosition[] | undefined) => [...(all ?? []), letterRef(text)],
    )
    .option("--dry-run", "show what would be sent, and send nothing")
    .addHelpText(
      "after",
      examples(
        'dead-letters replay 0/4711 0/4712 \\\n      --by ana --note "The schema is registered now."',
        "dead-letters replay --since 24h --dry-run --by ana --note test",
      ),
    )
    .action(async (refs: RecordPosition[], flags: Flags, command: Command) => {
      if (refs.length > 0 === isChosen(flags))
        command.error("error: name letters by their REF, or choose them by --reason, --since, --until", {
          exitCode: EXIT.usage,
        });
      exit(await run(io, refs, flags));
    });
