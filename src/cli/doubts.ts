import { Command } from "commander";
import { listDoubts, type Doubt } from "../operate/doubts/doubts.ts";
import { counted } from "../runtime/counted.ts";
import { iso } from "../runtime/instant.ts";
import { examples, EXIT, printRows, sayProgress, type Exit, type ExitCode, type Io } from "./io.ts";
import { withTool } from "./tool.ts";

const COLUMNS = ["since", "commandId", "quoteId", "externalId", "claimedAt", "error", "resolvableAt"];

const rowOf = ({ sinceMs, claimedAtMs, resolvableAtMs, ...rest }: Doubt): Record<string, unknown> => ({
  since: iso(sinceMs),
  claimedAt: iso(claimedAtMs),
  resolvableAt: iso(resolvableAtMs),
  ...rest,
});

const list = (io: Io, json: boolean): Promise<ExitCode> =>
  withTool(io, async (tool) => {
    const { topics, kafka } = tool.config;
    const onProgress = sayProgress(io, "the journal");
    const { doubts, numbers } = await listDoubts(tool, { onProgress }, io.stopped);
    await printRows(io, doubts.map(rowOf), { json, columns: COLUMNS });
    io.err(
      doubts.length === 0
        ? `No command is in doubt, of ${counted(numbers.commands, "command")} in ${topics.journal} of ` +
            `KAFKA_BROKERS (${kafka.brokers.join(",")}).`
        : `${counted(doubts.length, "command")} in doubt. Find out from the partner, then \`cambio-bridge ` +
            "resolve`: docs/commands.md.",
    );
    if (numbers.underWay > 0)
      io.err(
        `${counted(numbers.underWay, "claim")} without an end: the calls are under way, or their replicas ` +
          "are gone. Then accepts among them become doubts when a replica takes commands.",
      );
    return EXIT.done;
  });

export const doubtsCommand = (io: Io, exit: Exit): Command =>
  new Command("doubts")
    .description("List the commands that are in doubt.")
    .option("--json", "print one JSON object a line")
    .addHelpText("after", examples("doubts"))
    .action(async ({ json = false }: { json?: boolean }) => exit(await list(io, json)));
