import { Command, InvalidArgumentError } from "commander";
import { explainReason, readRef, refOf, type DeadLetter } from "../operate/dead-letters/letter.ts";
import { planLines, planReplay, type Plan, type Planned } from "../operate/dead-letters/plan.ts";
import { listLetters, showLetter, type Selection, type ShownLetter } from "../operate/dead-letters/read.ts";
import { replay } from "../operate/dead-letters/replay.ts";
import type { Sent } from "../operate/dead-letters/sent.ts";
import type { LetterEnd } from "../operate/dead-letters/targets.ts";
import { messageOf } from "../runtime/errors.ts";
import { iso } from "../runtime/instant.ts";
import { placeText, type RecordPosition } from "../runtime/record-position.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { headerList, textOrBase64 } from "./bytes.ts";
import { examples } from "./help.ts";
import { EXIT, printLines, sayProgress, type ExitCode, type Io } from "./io.ts";
import { pastMs, wholeNumber } from "./option-values.ts";
import { openTool } from "./tool.ts";

type SelectionFlags = { reason?: string; since?: number; until?: number };
type ListFlags = SelectionFlags & { limit: number; json?: boolean };
type ReplayFlags = SelectionFlags & ActorFlags & { dryRun?: boolean };

const DETAIL_LENGTH = 100;
const NAME_WIDTH = 13;
/** What stands in a line. */
const HEAD = "ref  written  reason  source  origin  detail  value";
/** A replay says how many letters came to an end so far, after every so many. */
const PROGRESS_EVERY = 100;
const RUN_AGAIN = "Run it again: what the audit topic says was sent is skipped.";

const withSelection = (command: Command): Command =>
  command
    .option("--reason <reason>", "only this reason, such as UNREADABLE_COMMAND")
    .option("--since <time>", "not older: an instant, a day in UTC, or an age (24h, 7d)", pastMs)
    .option("--until <time>", "older than this; the same forms", pastMs);

const selectionOf = ({ reason, since, until }: SelectionFlags): Selection => ({
  reason,
  sinceMs: since,
  untilMs: until,
});

/** Whether any of the options is given. */
const isChosen = ({ reason, since, until }: SelectionFlags): boolean =>
  [reason, since, until].some((each) => each !== undefined);

const letterRef = (text: string): RecordPosition => {
  const found = readRef(text);
  if (found === null)
    throw new InvalidArgumentError("It must be a place in the dead-letter topic such as 3/4711.");
  return found;
};

const lineOf = (letter: DeadLetter, sent: readonly Sent[]): string => {
  const { place, timestampMs, reason, source, origin, detail, missing, preview } = letter;
  const replayed = sent.slice(-1).map(({ by, atMs, where }) => `replayed ${iso(atMs)} by ${by}: ${where}`);
  return [
    refOf(place),
    iso(timestampMs),
    reason === "" ? "(not written by the bridge)" : reason,
    source,
    origin === null ? "-" : placeText(origin.topic, origin),
    detail.length > DETAIL_LENGTH ? `${detail.slice(0, DETAIL_LENGTH)}…` : detail,
    preview,
    ...(missing === null ? [] : [`cut: ${missing}`]),
    ...replayed,
  ].join("  ");
};

/** A dead letter without its bytes, for JSON output. */
const jsonOf = (letter: DeadLetter, sent: readonly Sent[]): Record<string, unknown> => {
  const { place, timestampMs, reason, source, origin, receivedAtMs, detail, missing, preview } = letter;
  return {
    ref: refOf(place),
    timestamp: iso(timestampMs),
    ...{ reason, source, origin, receivedAt: receivedAtMs, detail, preview, missing },
    replayed: sent.map(({ by, atMs, where }) => ({ at: iso(atMs), by, where })),
  };
};

const list = async (io: Io, { limit, json = false, ...flags }: ListFlags): Promise<ExitCode> => {
  const hooks = { limit, onProgress: sayProgress(io, "the dead letters") };
  const { letters, count, sent } = await listLetters(openTool(io), selectionOf(flags), hooks, io.stopped);
  if (count === 0)
    io.err(isChosen(flags) ? "No dead letter fits these options." : "There are no dead letters.");
  else if (!json) io.err(HEAD);
  for (const letter of letters) {
    const line = json ? JSON.stringify(jsonOf(letter, sent(letter))) : lineOf(letter, sent(letter));
    await printLines(io, [line]);
  }
  if (count > letters.length)
    io.err(`The newest ${letters.length} of ${count}: --limit shows more, --since and --reason choose.`);
  return EXIT.done;
};

/** A dead letter whole, for JSON output. */
const wholeOf = ({ letter, loaded: { original, added }, sent, decoded }: ShownLetter): object => ({
  ...jsonOf(letter, sent),
  meaning: explainReason(letter.reason),
  obstacle: letter.obstacle,
  key: textOrBase64(original.key),
  headers: headerList(original.headers),
  letterHeaders: [...added].map(([name, value]) => ({ name: `dead-letter-${name}`, value })),
  value: textOrBase64(original.value),
  decoded,
});

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The members of the JSON output, each on a line or below its name. */
const linesOf = (whole: object): string[] =>
  Object.entries(whole).flatMap(([name, value]: [string, unknown]) => {
    const [first, ...more] = Array.isArray(value) ? ["", ...value.map(textOf)] : textOf(value).split("\n");
    return [`${name.padEnd(NAME_WIDTH)} ${first}`.trimEnd(), ...more.map((line) => `  ${line}`)];
  });

const show = async (io: Io, ref: RecordPosition, json: boolean): Promise<ExitCode> => {
  const found = await showLetter(openTool(io), ref, io.stopped);
  if (!found) {
    io.err(`There is no dead letter ${refOf(ref)}: \`cambio-bridge dead-letters list\` shows them.`);
    return EXIT.failed;
  }
  const whole = wholeOf(found);
  await printLines(io, json ? [JSON.stringify(whole)] : linesOf(whole));
  return EXIT.done;
};

/** Where the letters stand now. */
const summary = (places: readonly string[], ends: number): string => {
  const left = ends > places.length ? `; ${ends - places.length} not sent, or not known to be` : "";
  if (places.length === 0) return `Nothing was sent${left}.`;
  return `${places.length} sent, the first: ${places[0]}, the last: ${places.at(-1)}${left}.`;
};

const resend = async (io: Io, refs: readonly RecordPosition[], flags: ReplayFlags): Promise<ExitCode> => {
  const tool = openTool(io);
  const request = { letters: refs.length > 0 ? { refs } : selectionOf(flags) };
  const onProgress = sayProgress(io, "the dead letters");
  const places: string[] = [];
  let [total, ends] = [0, 0];

  /** Named letters must be sent; a filter must leave none that was not sent before. */
  const leftOut = ({ skipped, unknown }: Plan): number =>
    unknown.length + skipped.filter(({ wasSent }) => refs.length > 0 || wasSent !== true).length;
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

type Exit = (code: ExitCode) => void;

const replayCommand = (io: Io, exit: Exit): Command =>
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
    .action(async (refs: RecordPosition[], flags: ReplayFlags, command: Command) => {
      if (refs.length > 0 === isChosen(flags))
        command.error("error: name letters by their REF, or choose them by --reason, --since, --until", {
          exitCode: EXIT.usage,
        });
      exit(await resend(io, refs, flags));
    });

export const deadLettersCommand = (io: Io, exit: Exit): Command =>
  new Command("dead-letters")
    .description("List, show and replay dead letters.")
    .addCommand(
      withSelection(new Command("list"))
        .description("Show dead letters, one a line, the newest last.")
        .option("--limit <number>", "print the newest so many", wholeNumber(1, 9_999_999), 100)
        .option("--json", "print one JSON object a line")
        .addHelpText("after", examples("dead-letters list --reason UNREADABLE_COMMAND --since 24h"))
        .action(async (flags: ListFlags) => exit(await list(io, flags))),
    )
    .addCommand(
      new Command("show")
        .description("Show one dead letter whole, and what its reason means.")
        .argument("<ref>", "partition/offset in the dead-letter topic", letterRef)
        .option("--json", "print one JSON object; bytes that are no text in base64")
        .addHelpText("after", examples("dead-letters show 0/4711"))
        .action(async (ref: RecordPosition, flags: { json?: boolean }) =>
          exit(await show(io, ref, flags.json === true)),
        ),
    )
    .addCommand(replayCommand(io, exit))
    .addHelpText("after", examples("dead-letters list --since 24h"));
