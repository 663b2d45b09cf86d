import { Command } from "commander";
import { replayLetters } from "../../bridge/operator/replay.ts";
import { explainOutage } from "../../bridge/outage.ts";
import type { LetterEnd } from "../../operator/replay/claims.ts";
import { refOf } from "../../operator/replay/dead-letter.ts";
import { planLines, skippedText, type Plan } from "../../operator/replay/plan.ts";
import { failureText, replaySummary } from "../../operator/replay/summary.ts";
import { systemClock } from "../../runtime/clock.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { actorOf, withActor, type ActorFlags } from "../actor.ts";
import { examples } from "../help.ts";
import { EXIT, type ExitCode, type Io } from "../io.ts";
import { wholeNumber } from "../option-values.ts";
import { openTool } from "../tool.ts";
import { isChosen, letterRef, selectionOf, withSelection, type SelectionFlags } from "./selection.ts";

type Flags = SelectionFlags &
  ActorFlags & { again?: boolean; topic?: string; rate: number; dryRun?: boolean; json?: boolean };

const PROGRESS_EVERY_MS = 2_000;

const RUN_AGAIN = " Run it again: what was sent is not sent twice.";

const replay = async (io: Io, refs: readonly RecordPosition[], flags: Flags): Promise<ExitCode> => {
  const { json = false, dryRun = false, again = false, topic, rate } = flags;
  const { config, services } = openTool(io);
  const print = (line: string): void => (json ? io.err : io.out)(escapeInvisible(line));
  const printJson = (ref: string, facts: Readonly<Record<string, unknown>>): void => {
    if (json) io.out(JSON.stringify({ ref, ...facts }));
  };
  const summary = replaySummary(again);
  let total = 0;
  let lastProgressAt = systemClock.monotonic();
  let notPlanned = 0;

  const planned = (plan: Plan, unknown: readonly RecordPosition[]): void => {
    total = plan.send.length;
    // Who names a letter wants it sent; who selects letters wants none left.
    const left = plan.skipped.filter(({ skipped }) => refs.length > 0 || skipped.wasSent !== true);
    notPlanned = left.length + unknown.length;
    for (const ref of unknown) {
      io.err(`There is no dead letter ${refOf(ref)}.`);
      printJson(refOf(ref), { end: "left", reason: "there is no such letter" });
    }
    planLines(plan).forEach(print);
    for (const { letter, skipped } of plan.skipped)
      printJson(refOf(letter.place), { end: "left", reason: skippedText(skipped) });
    if (dryRun)
      for (const each of plan.send)
        printJson(refOf(each.letter.place), { end: "planned", topic: each.topic });
  };
  const ended = ({ letter }: { letter: { place: RecordPosition } }, end: LetterEnd): void => {
    summary.add(end);
    printJson(refOf(letter.place), end);
    const failure = failureText(refOf(letter.place), end);
    if (failure !== null) io.err(escapeInvisible(failure));
    if (systemClock.monotonic() - lastProgressAt < PROGRESS_EVERY_MS) return;
    lastProgressAt = systemClock.monotonic();
    io.err(`${summary.done()} of ${total} so far`);
  };

  const letters = refs.length > 0 ? { refs } : selectionOf(flags);
  const actor = dryRun ? null : actorOf(flags);
  const request = { letters, again, topic, ratePerSecond: rate, actor };
  try {
    const replaying = replayLetters(config, services, request, { planned, ended, warn: io.err }, io.stopped);
    const replayed = await explainOutage(config, replaying, io.stopped);
    if (dryRun) {
      print("Dry run: nothing was sent.");
      return notPlanned > 0 ? EXIT.failed : EXIT.done;
    }
    summary.lines().forEach(print);
    const unsent = replayed?.unsent ?? 0;
    if (unsent > 0)
      io.err(
        escapeInvisible(`${unsent} of ${total} were not sent: ${replayed?.reason ?? ""}. Run it again.`),
      );
    return unsent + notPlanned + summary.notDone() > 0 ? EXIT.failed : EXIT.done;
  } catch (error) {
    if (total > 0) summary.lines().forEach(print);
    if (!io.stopped.aborted) {
      if (total === 0 || dryRun) throw error;
      const next = "The next run finds out what became of letters that were claimed and not concluded.";
      throw new UsageError(`${messageOf(error)} ${next}`, { cause: error });
    }
    io.err(
      escapeInvisible(
        `It was cancelled (${messageOf(io.stopped.reason)}) with ${summary.done()} of ${total} replayed.${again ? "" : RUN_AGAIN}`,
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
    .option("--again", "also send what was replayed before")
    .option("--topic <name>", "a further commands topic that letters may go back to")
    .option("--rate <number>", "records a second", wholeNumber(1, 10_000), 50)
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
          {
            exitCode: EXIT.usage,
          },
        );
      exit(await replay(io, refs, flags));
    });
