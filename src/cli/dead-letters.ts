import { InvalidArgumentError, type Command } from "commander";
import { explainReason, type DeadLetter } from "../operate/dead-letters/letter.ts";
import { planLines, planReplay, type Plan } from "../operate/dead-letters/plan.ts";
import { listLetters, showLetter, type Selection, type ShownLetter } from "../operate/dead-letters/read.ts";
import { replay } from "../operate/dead-letters/replay.ts";
import type { LetterEnd } from "../operate/dead-letters/targets.ts";
import { readRef } from "../operate/read-topic.ts";
import { iso } from "../runtime/instant.ts";
import { positionText, type RecordPosition } from "../runtime/record-position.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { headerTexts, textOrBase64 } from "./bytes.ts";
import { EXIT, newCommand, printLines, printRows, type Io, type Row } from "./io.ts";
import { pastMs, positiveNumber } from "./option-values.ts";
import { withTool } from "./tool.ts";

type SelectionFlags = { reason?: string; since?: number; until?: number };
type ListFlags = SelectionFlags & { limit: number; json?: boolean };
type ReplayFlags = SelectionFlags & ActorFlags & { dryRun?: boolean };

const COLUMNS = ["ref", "timestamp", "reason", "source", "origin", "detail", "preview"];
const PROGRESS_EVERY = 100;
const NOT_SENT = {
  left: "was not replayed",
  unknown: "may have been replayed, or not: look for it in its topic before it is sent once more",
} as const;
const RUN_AGAIN = "Run it again: what the audit topic says was sent is skipped.";

const withSelection = (command: Command): Command =>
  command
    .option("--reason <reason>", "only this reason, such as UNREADABLE_COMMAND")
    .option("--since <time>", "not older: an instant, a day in UTC, or an age (24h, 7d)", pastMs)
    .option("--until <time>", "older than this; the same forms", pastMs);

const selectionOf = ({ reason, since, until }: SelectionFlags): Selection => {
  return { reason, sinceMs: since, untilMs: until };
};

const isChosen = ({ reason, since, until }: SelectionFlags): boolean =>
  (reason ?? since ?? until) !== undefined;

const letterRef = (text: string): RecordPosition => {
  const place = readRef(text);
  if (place) return place;
  throw new InvalidArgumentError("It must be a REF, partition/offset, such as 3/4711.");
};

/** A dead letter without its bytes. */
const rowOf = ({ place, timestampMs, receivedAtMs, ...letter }: DeadLetter): Row => ({
  ref: positionText(place),
  timestamp: iso(timestampMs),
  receivedAt: receivedAtMs,
  ...letter,
});

const list = (io: Io, { limit, json, ...flags }: ListFlags): Promise<void> =>
  withTool(io, async (tools) => {
    const { letters, count } = await listLetters(tools, selectionOf(flags), limit);
    await printRows(io, letters.map(rowOf), { json, columns: COLUMNS });
    if (count === 0)
      io.err(isChosen(flags) ? "No dead letter fits these options." : "There are no dead letters.");
    if (count > letters.length)
      io.err(`The newest ${letters.length} of ${count}: --limit shows more, --since and --reason choose.`);
  });

const wholeOf = ({ letter, loaded: { original, added } }: ShownLetter): object => ({
  ...rowOf(letter),
  meaning: explainReason(letter.reason),
  key: textOrBase64(original.key),
  headers: headerTexts(original.headers),
  letterHeaders: Object.fromEntries(added),
  value: textOrBase64(original.value),
});

const show = (io: Io, ref: RecordPosition, { json = false }: { json?: boolean }): Promise<void> =>
  withTool(io, async (tools) => {
    const letter = await showLetter(tools, ref);
    if (letter) return printLines(io, JSON.stringify(wholeOf(letter), null, json ? 0 : 2).split("\n"));
    io.err(`There is no dead letter ${positionText(ref)}: \`cambio-bridge dead-letters list\` shows them.`);
    io.exit(EXIT.failed);
  });

const resend = (io: Io, refs: readonly RecordPosition[], flags: ReplayFlags): Promise<void> =>
  withTool(io, async (tools) => {
    const selection = refs.length > 0 ? { refs } : selectionOf(flags);
    const places: string[] = [];
    let [total, ends] = [0, 0];
    const planned = (plan: Plan): void => {
      total = plan.send.length;
      planLines(plan).forEach(io.out);
      // Letters that are in none of the places where they were to go, and are not sent now.
      const left = plan.unknown.length + plan.skipped.filter(({ wasSent }) => wasSent !== true).length;
      if (left > 0) io.exit(EXIT.failed);
    };
    if (flags.dryRun === true) {
      planned((await planReplay(tools, selection)).plan);
      io.out("Dry run: nothing was sent.");
      return;
    }
    const ended = (ref: string, end: LetterEnd): void => {
      ends += 1;
      if (end.end === "sent") places.push(end.where);
      else io.err(`${ref} ${NOT_SENT[end.end]}: ${end.reason}.`);
      if (ends % PROGRESS_EVERY === 0) io.err(`${ends} of ${total} so far`);
    };
    try {
      const { unsent, reason } = await replay(tools, actorOf(flags), selection, { planned, ended });
      if (unsent > 0) io.err(`${unsent} of ${total} were not sent: ${reason}. ${RUN_AGAIN}`);
      if (places.length < total) io.exit(EXIT.failed);
    } finally {
      const where = places.length > 0 ? `, the first: ${places[0]}, the last: ${places.at(-1)}` : "";
      if (ends > 0) io.out(`${places.length} of ${total} sent${where}.`);
    }
  });

const listCommand = (io: Io): Command =>
  withSelection(
    newCommand(
      "list",
      "Show dead letters, one a line, the newest last.",
      "dead-letters list --reason UNREADABLE_COMMAND --since 24h",
    ),
  )
    .option("--limit <number>", "print the newest so many", positiveNumber, 100)
    .option("--json", "print one JSON object a line")
    .action((flags: ListFlags) => list(io, flags));

const showCommand = (io: Io): Command =>
  newCommand("show", "Show one dead letter whole, and what its reason means.", "dead-letters show 0/4711")
    .argument("<ref>", "partition/offset in the dead-letter topic", letterRef)
    .option("--json", "print one JSON object; bytes that are no text in base64")
    .action((ref: RecordPosition, flags: { json?: boolean }) => show(io, ref, flags));

const replayCommand = (io: Io): Command =>
  withActor(
    withSelection(
      newCommand(
        "replay",
        "Send dead letters again to where they came from, each once.",
        'dead-letters replay 0/4711 0/4712 \\\n      --by ana --note "The schema is registered now."',
        "dead-letters replay --since 24h --dry-run --by ana --note test",
      ),
    ),
  )
    .argument(
      "[refs...]",
      "partition/offset of each in the dead-letter topic",
      (text: string, all: RecordPosition[] | undefined) => [...(all ?? []), letterRef(text)],
    )
    .option("--dry-run", "show what would be sent, and send nothing")
    .action((refs: RecordPosition[], flags: ReplayFlags, command: Command) => {
      if (refs.length > 0 === isChosen(flags))
        command.error("error: name dead letters by their REF, or choose them by --reason, --since, --until");
      return resend(io, refs, flags);
    });

export const deadLettersCommand = (io: Io): Command =>
  newCommand("dead-letters", "List, show and replay dead letters.", "dead-letters list --since 24h")
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(replayCommand(io));
