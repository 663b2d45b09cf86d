import { isUtf8 } from "node:buffer";
import { Command } from "commander";
import { refOf } from "../../operate/dead-letters/letter.ts";
import { explainReason } from "../../operate/dead-letters/reasons.ts";
import { showLetter, type ShownLetter } from "../../operate/dead-letters/show.ts";
import { counted } from "../../runtime/counted.ts";
import { hexDump } from "../../runtime/hex-dump.ts";
import { iso } from "../../runtime/instant.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import { placeText, type RecordPosition } from "../../runtime/record-position.ts";
import { headerList, textOrBase64 } from "../bytes.ts";
import { examples } from "../help.ts";
import { EXIT, type ExitCode, type Io } from "../io.ts";
import { jsonOf, sentText } from "./list.ts";
import { letterRef } from "./selection.ts";
import { openTool } from "../tool.ts";

const MAX_SHOWN_BYTES = 65_536;
const MAX_SHOWN_HEADERS = 200;

const textOf = (shown: unknown): string =>
  shown === null ? "null" : typeof shown === "string" ? shown : JSON.stringify(shown);

/** Text as it is, other bytes in hex. */
const valueLines = (value: Buffer | null): string[] => {
  if (value === null) return [];
  const shown = value.subarray(0, MAX_SHOWN_BYTES);
  const more = value.length > shown.length ? [`… ${value.length - shown.length} bytes more: see --json`] : [];
  const lines = isUtf8(value) ? shown.toString("utf8").split("\n") : hexDump(shown);
  return [...lines, ...more].map((line) => `  ${line}`);
};

const sizeOf = (value: Buffer | null): string =>
  value === null ? "none (null)" : counted(value.length, "byte");

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
  [...(loaded?.added ?? [])].map(([name, value]) => ({ name: `dead-letter-${name}`, value }));

const linesOf = (shown: ShownLetter): string[] => {
  const { letter, loaded, sent, decoded } = shown;
  const { origin, receivedAtMs } = letter;
  const replays = sent?.map((each) => `            ${sentText(each)}`) ?? [];
  return [
    `letter      ${refOf(letter.place)}, written ${iso(letter.timestampMs)}`,
    `reason      ${letter.reason === "" ? "none: the bridge did not write it" : letter.reason}`,
    `            ${explainReason(letter.reason)}`,
    `detail      ${letter.detail}`,
    `source      ${letter.source}`,
    ...(origin ? [`origin      ${placeText(origin.topic, origin)}, written ${iso(origin.timestampMs)}`] : []),
    ...(receivedAtMs === null ? [] : [`received    ${iso(receivedAtMs)}`]),
    ...(letter.missing === null ? [] : [`cut         ${letter.missing}`]),
    ...(letter.obstacle === null ? [] : [`no replay   ${letter.obstacle}`]),
    ...(sent === null
      ? ["replayed    not known: the audit topic could not be read"]
      : replays.length === 0
        ? ["replayed    never"]
        : replays),
    ...(loaded
      ? [
          `key         ${textOf(textOrBase64(loaded.original.key))}`,
          ...headerLines("headers", headerList(loaded.original.headers)),
          ...headerLines("headers of the letter", addedTo(shown)),
          `value       ${sizeOf(loaded.original.value)}${decoded === null ? "" : ", Avro, decoded"}`,
          ...valueLines(decoded === null ? loaded.original.value : Buffer.from(decoded)),
        ]
      : []),
  ];
};

const show = async (io: Io, ref: RecordPosition, json: boolean): Promise<ExitCode> => {
  const found = await showLetter(openTool(io), ref, { warn: io.err }, io.stopped);
  if (!found) {
    io.err(`There is no dead letter ${refOf(ref)}: \`cambio-bridge dead-letters list\` shows them.`);
    return EXIT.failed;
  }
  const { letter, loaded, sent, decoded } = found;
  const lines = json
    ? [
        JSON.stringify({
          ...jsonOf(letter, sent),
          meaning: explainReason(letter.reason),
          obstacle: letter.obstacle,
          key: loaded && textOrBase64(loaded.original.key),
          headers: loaded && headerList(loaded.original.headers),
          letterHeaders: addedTo(found),
          value: loaded && textOrBase64(loaded.original.value),
          decoded,
        }),
      ]
    : linesOf(found);
  await io.write(Buffer.from(lines.map((line) => `${escapeInvisible(line)}\n`).join("")));
  return EXIT.done;
};

export const showCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("show")
    .description("Show one dead letter whole, and what its reason means.")
    .argument("<ref>", "partition/offset in the dead-letter topic", letterRef)
    .option("--json", "print one JSON object; bytes that are no text in base64")
    .addHelpText("after", examples("dead-letters show 0/4711"))
    .action(async (ref: RecordPosition, { json = false }: { json?: boolean }) =>
      exit(await show(io, ref, json)),
    );
