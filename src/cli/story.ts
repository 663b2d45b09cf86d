import { Command, Option } from "commander";
import { story, type Story } from "../operate/story/story.ts";
import { iso } from "../runtime/instant.ts";
import { examples, EXIT, printLines, sayProgress, type Exit, type ExitCode, type Io } from "./io.ts";
import { pastMs } from "./option-values.ts";
import { withTool } from "./tool.ts";

type Flags = { since: number; json?: boolean };

const linesOf = ({ endings, steps }: Story): string[] => [
  ...endings.map(({ about, id, sentence }) => `${about} ${id}: ${sentence}`),
  ...steps.flatMap(({ atMs, title, place, facts }) => [
    "",
    `${iso(atMs)}  ${title}`,
    `  ${place}`,
    ...facts.map(([name, value]) => `  ${name}: ${value}`),
  ]),
];

const jsonOf = ({ id, sinceMs, steps, ...rest }: Story): string =>
  JSON.stringify({
    id,
    since: iso(sinceMs),
    ...rest,
    steps: steps.map(({ atMs, facts, ...step }) => ({
      at: iso(atMs),
      ...step,
      facts: Object.fromEntries(facts),
    })),
  });

const tell = (io: Io, id: string, { since, json = false }: Flags): Promise<ExitCode> =>
  withTool(io, async (tool) => {
    const history = await story(tool, { id, sinceMs: since }, sayProgress(io, "the topics"), io.stopped);
    await printLines(io, json ? [jsonOf(history)] : linesOf(history));
    history.notes.forEach(io.err);
    if (history.steps.length > 0) return EXIT.done;
    io.err(`The topics hold nothing of ${id} since ${iso(since)}: --since looks further back.`);
    return EXIT.failed;
  });

export const storyCommand = (io: Io, exit: Exit): Command =>
  new Command("story")
    .description("Tell what happened to a command, a quote or a transaction.")
    .argument("<id>", "a commandId, quoteId, externalId or transactionId")
    .addOption(
      new Option("--since <time>", "not older: an instant, a day in UTC, or an age (24h, 7d)")
        .argParser(pastMs)
        .default(pastMs("7d"), "7d"),
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("story order-71-accept"))
    .action(async (id: string, flags: Flags) => exit(await tell(io, id, flags)));
