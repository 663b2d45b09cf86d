import { Command } from "commander";
import { explainReason, refOf, type DeadLetter } from "../operate/dead-letters/letter.ts";
import { listLetters, showLetter, type ShownLetter } from "../operate/dead-letters/read.ts";
import type { Sent } from "../operate/dead-letters/sent.ts";
import { iso } from "../runtime/instant.ts";
import { placeText, type RecordPosition } from "../runtime/record-position.ts";
import { headerList, textOrBase64 } from "./bytes.ts";
import { examples } from "./help.ts";
import { EXIT, printLines, sayProgress, type ExitCode, type Io } from "./io.ts";
import { wholeNumber } from "./option-values.ts";
import {
  isChosen,
  letterRef,
  replayCommand,
  selectionOf,
  withSelection,
  type SelectionFlags,
} from "./replay.ts";
import { openTool } from "./tool.ts";

const DETAIL_LENGTH = 100;
const NAME_WIDTH = 13;
/** What stands in a line. */
const HEAD = "ref  written  reason  source  origin  detail  value";

const short = (text: string): string =>
  text.length > DETAIL_LENGTH ? `${text.slice(0, DETAIL_LENGTH)}…` : text;

const sentText = ({ by, atMs, where }: Sent): string => `replayed ${iso(atMs)} by ${by}: ${where}`;

const lineOf = (letter: DeadLetter, sent: readonly Sent[] | null): string => {
  const { place, timestampMs, reason, source, origin, detail, missing, preview } = letter;
  return [
    refOf(place),
    iso(timestampMs),
    reason === "" ? "(not written by the bridge)" : reason,
    source,
    origin === null ? "-" : placeText(origin.topic, origin),
    short(detail),
    preview,
    ...(missing === null ? [] : [`cut: ${missing}`]),
    ...(sent ?? []).slice(-1).map(sentText),
  ].join("  ");
};

/** A dead letter without its bytes, for JSON output. */
const jsonOf = (letter: DeadLetter, sent: readonly Sent[] | null): Record<string, unknown> => {
  const { place, timestampMs, reason, source, origin, receivedAtMs, detail, missing, preview } = letter;
  return {
    ref: refOf(place),
    timestamp: iso(timestampMs),
    ...{ reason, source, origin, receivedAt: receivedAtMs, detail, preview, missing },
    replayed: sent?.map(({ by, atMs, where }) => ({ at: iso(atMs), by, where })) ?? null,
  };
};

type ListFlags = SelectionFlags & { limit: number; json?: boolean };

const list = async (io: Io, { limit, json = false, ...flags }: ListFlags): Promise<ExitCode> => {
  const hooks = { limit, onProgress: sayProgress(io, "the dead letters"), warn: io.err };
  const { letters, count, sent } = await listLetters(openTool(io), selectionOf(flags), hooks, io.stopped);
  if (count === 0)
    io.err(isChosen(flags) ? "No dead letter fits these options." : "There are no dead letters.");
  else if (!json) io.err(HEAD);
  for (const letter of letters)
    await printLines(io, [
      json ? JSON.stringify(jsonOf(letter, sent(letter))) : lineOf(letter, sent(letter)),
    ]);
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
  const found = await showLetter(openTool(io), ref, { warn: io.err }, io.stopped);
  if (!found) {
    io.err(`There is no dead letter ${refOf(ref)}: \`cambio-bridge dead-letters list\` shows them.`);
    return EXIT.failed;
  }
  const whole = wholeOf(found);
  await printLines(io, json ? [JSON.stringify(whole)] : linesOf(whole));
  return EXIT.done;
};

export const deadLettersCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
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
