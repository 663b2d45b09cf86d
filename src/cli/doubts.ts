import { Command } from "commander";
import { listDoubts, type ListedDoubt, type ListedDoubts } from "../bridge/operator/list-doubts.ts";
import { explainOutage } from "../bridge/outage.ts";
import type { Config } from "../config/config.ts";
import { counted } from "../runtime/counted.ts";
import { iso } from "../runtime/instant.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import { placeText } from "../runtime/record-position.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { openTool } from "./tool.ts";
import { untilAborted } from "./until-aborted.ts";

/** The parts of a line. */
const HEAD = "since  commandId  quoteId  externalId  claimed  why  resolve";

const quoteOf = ({ ref, result }: ListedDoubt): string => result?.quoteId ?? ref.key;

const lineOf = (doubt: ListedDoubt): string => {
  const { ref, claim, sinceMs, result, resolvableAtMs } = doubt;
  const error = result?.error;
  return [
    iso(sinceMs),
    ref.commandId,
    quoteOf(doubt),
    result?.externalId ?? "-",
    iso(claim.timestampMs),
    error ? `${error.code}: ${error.message}` : "not known",
    `from ${iso(resolvableAtMs)}`,
  ].join("  ");
};

const jsonOf = (doubt: ListedDoubt, journal: string): Record<string, unknown> => {
  const { ref, claim, position, sinceMs, result, resolvableAtMs } = doubt;
  return {
    since: iso(sinceMs),
    commandId: ref.commandId,
    operation: ref.operation,
    quoteId: quoteOf(doubt),
    externalId: result?.externalId ?? null,
    claimedAt: iso(claim.timestampMs),
    resolvableAt: iso(resolvableAtMs),
    attempts: result?.attempts ?? claim.attempts + 1,
    httpStatus: result?.httpStatus ?? null,
    error: result?.error ?? null,
    response: result?.response ?? null,
    place: placeText(journal, position),
  };
};

const closing = ({ doubts, commands, underWay }: ListedDoubts, { topics, kafka }: Config): string[] => [
  doubts.length === 0
    ? `No command is in doubt, of ${counted(commands, "command")} in ${topics.journal} of KAFKA_BROKERS (${kafka.brokers.join(",")}).`
    : `${counted(doubts.length, "command")} in doubt. Find out from the partner, then \`cambio-bridge resolve\`: docs/doubts.md.`,
  ...(underWay === 0
    ? []
    : [
        `${counted(underWay, "claim")} without an end: the calls are under way, or their replicas are gone. Then accepts among them become doubts when a replica takes commands.`,
      ]),
];

const list = async (io: Io, json: boolean): Promise<ExitCode> => {
  const { config, services } = openTool(io);
  const listed = await explainOutage(config, listDoubts(config, services, io.stopped), io.stopped);
  const stopped = untilAborted(io.stopped);
  if (listed.doubts.length > 0 && !json) io.err(HEAD);
  for (const doubt of listed.doubts) {
    const text = json ? JSON.stringify(jsonOf(doubt, config.topics.journal)) : lineOf(doubt);
    // A reader that stands still does not keep the process from being ended.
    await Promise.race([io.write(Buffer.from(`${escapeInvisible(text)}\n`)), stopped]);
    io.stopped.throwIfAborted();
  }
  for (const sentence of closing(listed, config)) io.err(sentence);
  return EXIT.done;
};

export const doubtsCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("doubts")
    .summary("List the commands that are in doubt.")
    .description("List the commands that are in doubt, the oldest first, one a line.")
    .option("--json", "print one JSON object a line")
    .addHelpText("after", examples("doubts"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await list(io, json)));
