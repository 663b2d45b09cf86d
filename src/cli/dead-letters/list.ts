import { Command } from "commander";
import { refOf, type DeadLetter } from "../../operate/dead-letters/letter.ts";
import { listLetters } from "../../operate/dead-letters/list.ts";
import type { Sent } from "../../operate/dead-letters/sent.ts";
import { iso } from "../../runtime/instant.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import { placeText } from "../../runtime/record-position.ts";
import { examples } from "../help.ts";
import { EXIT, type ExitCode, type Io } from "../io.ts";
import { wholeNumber } from "../option-values.ts";
import { sayProgress } from "../progress.ts";
import { openTool } from "../tool.ts";
import { isChosen, selectionOf, withSelection, type SelectionFlags } from "./selection.ts";

type Flags = SelectionFlags & { limit: number; json?: boolean };

const DETAIL_LENGTH = 100;
/** What stands in a line. */
const HEAD = "ref  written  reason  source  origin  detail  value";

const short = (text: string): string =>
  text.length > DETAIL_LENGTH ? `${text.slice(0, DETAIL_LENGTH)}…` : text;

export const sentText = ({ by, atMs, where }: Sent): string => `replayed ${iso(atMs)} by ${by}: ${where}`;

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
    ...(sent?.at(-1) ? [sentText(sent.at(-1) as Sent)] : []),
  ].join("  ");
};

/** A dead letter without its bytes, for JSON output. */
export const jsonOf = (letter: DeadLetter, sent: readonly Sent[] | null): Record<string, unknown> => {
  const { place, timestampMs, reason, source, origin, receivedAtMs, detail, missing, preview } = letter;
  return {
    ref: refOf(place),
    timestamp: iso(timestampMs),
    reason,
    source,
    origin,
    receivedAt: receivedAtMs,
    detail,
    preview,
    missing,
    replayed: sent?.map(({ by, atMs, where }) => ({ at: iso(atMs), by, where })) ?? null,
  };
};

const list = async (io: Io, { limit, json, ...flags }: Flags): Promise<ExitCode> => {
  const hooks = { limit, onProgress: sayProgress(io, "the dead letters"), warn: io.err };
  const found = await listLetters(openTool(io), selectionOf(flags), hooks, io.stopped);
  const { letters, count } = found;
  if (count === 0)
    io.err(isChosen(flags) ? "No dead letter fits these options." : "There are no dead letters.");
  else if (!json) io.err(HEAD);
  for (const letter of letters) {
    const sent = found.sent(letter);
    const line = escapeInvisible(json ? JSON.stringify(jsonOf(letter, sent)) : lineOf(letter, sent));
    await io.write(Buffer.from(`${line}\n`));
  }
  if (count > letters.length)
    io.err(`The newest ${letters.length} of ${count}: --limit shows more, --since and --reason choose.`);
  return EXIT.done;
};

export const listCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  withSelection(new Command("list"))
    .description("Show dead letters, one a line, the newest last.")
    .option("--limit <number>", "print the newest so many", wholeNumber(1, 9_999_999), 100)
    .option("--json", "print one JSON object a line")
    .addHelpText("after", examples("dead-letters list --reason UNREADABLE_COMMAND --since 24h"))
    .action(async (flags: Flags) => exit(await list(io, flags)));
