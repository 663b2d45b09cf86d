import { Command } from "commander";
import type { Config } from "../config/config.ts";
import { listDoubts, type Doubt, type DoubtNumbers } from "../operate/doubts/doubts.ts";
import { counted } from "../runtime/counted.ts";
import { iso } from "../runtime/instant.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io, printLines, untilAborted, sayProgress } from "./io.ts";
import { openTool } from "./tool.ts";

/** The parts of a line. */
const HEAD = "since  commandId  quoteId  externalId  claimed  why  resolve";

const lineOf = ({ error, ...doubt }: Doubt): string =>
  [
    iso(doubt.sinceMs),
    doubt.commandId,
    doubt.quoteId ?? "-",
    doubt.externalId ?? "-",
    iso(doubt.claimedAtMs),
    error ? `${error.code}: ${error.message}` : "not known",
    `from ${iso(doubt.resolvableAtMs)}`,
  ].join("  ");

const jsonOf = ({ sinceMs, claimedAtMs, resolvableAtMs, ...rest }: Doubt): Record<string, unknown> => ({
  since: iso(sinceMs),
  claimedAt: iso(claimedAtMs),
  resolvableAt: iso(resolvableAtMs),
  ...rest,
});

const closing = ({ doubts, commands, underWay }: DoubtNumbers, { topics, kafka }: Config): string[] => [
  doubts === 0
    ? `No command is in doubt, of ${counted(commands, "command")} in ${topics.journal} of KAFKA_BROKERS (${kafka.brokers.join(",")}).`
    : `${counted(doubts, "command")} in doubt. Find out from the partner, then \`cambio-bridge resolve\`: docs/commands.md.`,
  ...(underWay === 0
    ? []
    : [
        `${counted(underWay, "claim")} without an end: the calls are under way, or their replicas are gone. Then accepts among them become doubts when a replica takes commands.`,
      ]),
];

const list = async (io: Io, json: boolean): Promise<ExitCode> => {
  const tool = openTool(io);
  const onProgress = sayProgress(io, "the journal");
  const { doubts, numbers } = await listDoubts(tool, { onProgress }, io.stopped);
  const stopped = untilAborted(io.stopped);
  if (doubts.length > 0 && !json) io.err(HEAD);
  for (const doubt of doubts) {
    // A reader that stands still does not keep the process from being ended.
    await Promise.race([printLines(io, [json ? JSON.stringify(jsonOf(doubt)) : lineOf(doubt)]), stopped]);
    io.stopped.throwIfAborted();
  }
  for (const sentence of closing(numbers, tool.config)) io.err(sentence);
  return EXIT.done;
};

export const doubtsCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("doubts")
    .description("List the commands that are in doubt.")
    .option("--json", "print one JSON object a line")
    .addHelpText("after", examples("doubts"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await list(io, json)));
