import { isUtf8 } from "node:buffer";
import { Command } from "commander";
import { explainReason, refOf, type DeadLetter } from "../operate/dead-letters/letter.ts";
import { listLetters, showLetter, type ShownLetter } from "../operate/dead-letters/read.ts";
import type { Sent } from "../operate/dead-letters/sent.ts";
import { hexDump } from "../runtime/hex-dump.ts";
import { iso } from "../runtime/instant.ts";
import { placeText, type RecordPosition } from "../runtime/record-position.ts";
import { headerList, textOrBase64 } from "./bytes.ts";
import { examples } from "./help.ts";
import { EXIT, printLines, sayProgress, type ExitCode, type Io } from "./io.ts";
import { isChosen, letterRef, selectionOf, withSelection, type SelectionFlags } from "./letter-options.ts";
import { wholeNumber } from "./option-values.ts";
import { replayCommand } from "./replay.ts";
import { openTool } from "./tool.ts";

const DETAIL_LENGTH = 100;
const MAX_SHOWN_BYTES = 65_536;
const MAX_SHOWN_HEADERS = 200;
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

const textOf = (shown: unknown): string => (typeof shown === "string" ? shown : JSON.stringify(shown));

/** Text as it is, other bytes in hex. */
const valueLines = (value: Buffer | null): string[] => {
  if (value === null) return ["value       none (null)"];
  const shown = value.subarray(0, MAX_SHOWN_BYTES);
  const lines = isUtf8(value) ? shown.toString("utf8").split("\n") : hexDump(shown);
  const more = value.length > shown.length ? [`… ${value.length - shown.length} bytes more: see --json`] : [];
  return [`value       ${value.length} bytes`, ...[...lines, ...more].map((line) => `  ${line}`)];
};

const headerLines = (title: string, headers: { name: unknown; value: unknown }[]): string[] => {
  const more = headers.length - MAX_SHOWN_HEADERS;
  return [
    title,
    ...headers.slice(0, MAX_SHOWN_HEADERS).map(({ name, value }) => `  ${textOf(name)}: ${textOf(value)}`),
    ...(more > 0 ? [`  … ${more} more: see --json`] : []),
  ];
};

/** The headers that the bridge added to the letter. */
const addedTo = ({ loaded }: ShownLetter): { name: string; value: string }[] =>
  [...loaded.added].map(([name, value]) => ({ name: `dead-letter-${name}`, value }));

const replayedText = (sent: ShownLetter["sent"]): string => {
  if (sent === null) return "not known: the audit topic could not be read";
  return sent.length === 0 ? "never" : sent.map(sentText).join(", ");
};

const linesOf = (shown: ShownLetter): string[] => {
  const { letter, loaded, sent, decoded } = shown;
  const { reason, origin, receivedAtMs } = letter;
  const { key, value, headers } = loaded.original;
  return [
    `letter      ${refOf(letter.place)}, written ${iso(letter.timestampMs)}`,
    `reason      ${reason === "" ? "none: the bridge did not write it" : reason}`,
    `            ${explainReason(reason)}`,
    `detail      ${letter.detail}`,
    `source      ${letter.source}`,
    ...(origin ? [`origin      ${placeText(origin.topic, origin)}, written ${iso(origin.timestampMs)}`] : []),
    ...(receivedAtMs === null ? [] : [`received    ${iso(receivedAtMs)}`]),
    ...(letter.missing === null ? [] : [`cut         ${letter.missing}`]),
    ...(letter.obstacle === null ? [] : [`no replay   ${letter.obstacle}`]),
    `replayed    ${replayedText(sent)}`,
    `key         ${textOf(textOrBase64(key))}`,
    ...headerLines("headers", headerList(headers)),
    ...headerLines("headers of the letter", addedTo(shown)),
    ...(decoded === null ? valueLines(value) : ["value, from Avro", `  ${decoded}`]),
  ];
};

const show = async (io: Io, ref: RecordPosition, json: boolean): Promise<ExitCode> => {
  const found = await showLetter(openTool(io), ref, { warn: io.err }, io.stopped);
  if (!found) {
    io.err(`There is no dead letter ${refOf(ref)}: \`cambio-bridge dead-letters list\` shows them.`);
    return EXIT.failed;
  }
  const { letter, loaded, sent, decoded } = found;
  const { key, value, headers } = loaded.original;
  const plain = {
    ...jsonOf(letter, sent),
    meaning: explainReason(letter.reason),
    obstacle: letter.obstacle,
    key: textOrBase64(key),
    headers: headerList(headers),
    letterHeaders: addedTo(found),
    value: textOrBase64(value),
    decoded,
  };
  await printLines(io, json ? [JSON.stringify(plain)] : linesOf(found));
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
