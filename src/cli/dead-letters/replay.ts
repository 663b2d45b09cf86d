import { Command } from "commander";
import { refOf } from "../../operate/dead-letters/letter.ts";
import { planLines, skippedText, type Plan, type Planned } from "../../operate/dead-letters/plan.ts";
import { planReplay } from "../../operate/dead-letters/make-plan.ts";
import { replay, type ReplayOutcome } from "../../operate/dead-letters/replay.ts";
import type { LetterEnd } from "../../operate/dead-letters/targets.ts";
import { messageOf } from "../../runtime/errors.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { actorOf, withActor, type ActorFlags } from "../actor.ts";
import { examples } from "../help.ts";
import { EXIT, type ExitCode, type Io } from "../io.ts";
import { sayProgress } from "../progress.ts";
import { openTool } from "../tool.ts";
import { isChosen, letterRef, selectionOf, withSelection, type SelectionFlags } from "./selection.ts";

type Flags = SelectionFlags & ActorFlags & { dryRun?: boolean; json?: boolean };

/** Says how many letters came to an end so far, after every so many. */
const PROGRESS_EVERY = 100;

/** Says of a letter that was not sent, or perhaps not, why; null of all others. */
const failureText = (ref: string, end: LetterEnd): string | null => {
  if (end.end === "sent") return null;
  return end.end === "left"
    ? `${ref} was not replayed: ${end.reason}.`
    : `${ref} may have been replayed, or not: ${end.reason}. Look for it in its topic before it is sent once more.`;
};

const topicOf = (place: string): string => place.slice(0, place.lastIndexOf("["));

/** Where the letters stand now, as lines of text. */
const summary = (ends: readonly LetterEnd[]): string[] => {
  const sent = ends.flatMap((end) => (end.end === "sent" ? [end] : []));
  const places = sent.flatMap(({ place }) => place ?? []);
  const there = sent.length - places.length;
  const byTopic = [...new Set(places.map(topicOf))].map((topic) => {
    const own = places.filter((place) => topicOf(place) === topic);
    return `${own.length} written to ${topic}, the first at ${own[0]}, the last at ${own.at(-1)}`;
  });
  return [
    ...(byTopic.length > 0 ? byTopic : ["Nothing was written."]),
    ...(there > 0 ? [`${there} had been published already`] : []),
    ...(sent.length < ends.length ? [`${ends.length - sent.length} not sent, or not known to be`] : []),
  ];
};

const run = async (io: Io, refs: readonly RecordPosition[], flags: Flags): Promise<ExitCode> => {
  const { json = false, dryRun = false } = flags;
  const tool = openTool(io);
  const print = (line: string): void => (json ? io.err : io.out)(escapeInvisible(line));
  const printJson = (ref: string, facts: Readonly<Record<string, unknown>>): void => {
    if (json) io.out(JSON.stringify({ ref, ...facts }));
  };
  const request = { letters: refs.length > 0 ? { refs } : selectionOf(flags) };
  const ends: LetterEnd[] = [];
  let total = 0;

  /** Named letters must be sent; a filter must leave none. */
  const leftOut = ({ skipped, unknown }: Plan): number =>
    unknown.length + skipped.filter((each) => refs.length > 0 || each.skipped.wasSent !== true).length;
  const planned = (plan: Plan): void => {
    total = plan.send.length;
    planLines(plan).forEach(print);
    for (const ref of plan.unknown) printJson(ref, { end: "left", reason: "there is no such letter" });
    for (const { letter, skipped } of plan.skipped)
      printJson(refOf(letter.place), { end: "left", reason: skippedText(skipped) });
  };
  const ended = ({ letter }: Planned, end: LetterEnd): void => {
    ends.push(end);
    printJson(refOf(letter.place), end);
    const failure = failureText(refOf(letter.place), end);
    if (failure !== null) io.err(escapeInvisible(failure));
    if (ends.length % PROGRESS_EVERY === 0) io.err(`${ends.length} of ${total} so far`);
  };
  const onProgress = sayProgress(io, "the dead letters");

  if (dryRun) {
    const plan = await planReplay(tool, request, { onProgress }, io.stopped);
    planned(plan);
    for (const { letter, topic } of plan.send) printJson(refOf(letter.place), { end: "planned", topic });
    print("Dry run: nothing was sent.");
    return leftOut(plan) > 0 ? EXIT.failed : EXIT.done;
  }
  const runAgain = "Run it again: what the audit topic says was sent is skipped.";
  try {
    const hooks = { planned, ended, warn: io.err, onProgress };
    const { plan, unsent, reason }: ReplayOutcome = await replay(
      tool,
      actorOf(flags),
      request,
      hooks,
      io.stopped,
    );
    summary(ends).forEach(print);
    if (unsent > 0) io.err(escapeInvisible(`${unsent} of ${total} were not sent: ${reason}. ${runAgain}`));
    const isWhole = unsent + leftOut(plan) === 0 && ends.every(({ end }) => end === "sent");
    return isWhole ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (ends.length > 0) summary(ends).forEach(print);
    if (!io.stopped.aborted) throw error;
    io.err(
      escapeInvisible(
        `It was cancelled (${messageOf(io.stopped.reason)}) after ${ends.length} of ${total}. ${runAgain}`,
      ),
    );
    return EXIT.failed;
  }
};

export const replayCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  withActor(withSelection(new Command("replay")), {
    by: "who does it; kept in the audit topic",
    note: "why; kept in the audit topic",
  })
    .description("Send dead letters again to where they came from, each once.")
    .argument(
      "[refs...]",
      "partition/offset of each in the dead-letter topic",
      (text: string, all: RecordPosition[] | undefined) => [...(all ?? []), letterRef(text)],
    )
    .option("--dry-run", "show what would be sent, and send nothing")
    .option("--json", "print one JSON object a line; the plan goes to standard error")
    .addHelpText(
      "after",
      examples(
        'dead-letters replay 0/4711 0/4712 \\\n      --by ana --note "The schema is registered now."',
        "dead-letters replay --since 24h --dry-run --by ana --note test",
      ),
    )
    .action(async (refs: RecordPosition[], flags: Flags, command: Command) => {
      if (refs.length > 0 === isChosen(flags))
        command.error(
          "error: name letters by their REF, or choose them by --reason, --source, --since, --until",
          { exitCode: EXIT.usage },
        );
      exit(await run(io, refs, flags));
    });
