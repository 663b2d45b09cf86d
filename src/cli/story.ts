import type { Command } from "commander";
import { readStory, type Story } from "../operate/story/story.ts";
import { iso } from "../runtime/instant.ts";
import { EXIT, newCommand, printLines, type Io } from "./io.ts";
import { sinceOption } from "./option-values.ts";
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

const tell = (io: Io, id: string, { since, json = false }: Flags): Promise<void> =>
  withTool(io, async (tools) => {
    const history = await readStory(tools, { id, sinceMs: since });
    await printLines(io, json ? [jsonOf(history)] : linesOf(history));
    history.notes.forEach(io.err);
    if (history.steps.length > 0) return;
    io.err(`The topics hold nothing of ${id} since ${iso(since)}: --since looks further back.`);
    io.exit(EXIT.failed);
  });

export const storyCommand = (io: Io): Command =>
  newCommand("story", "Tell what happened to a command, a quote or a transaction.", "story order-71-accept")
    .argument("<id>", "a commandId, quoteId, externalId or transactionId")
    .addOption(sinceOption())
    .option("--json", "print one JSON object")
    .action((id: string, flags: Flags) => tell(io, id, flags));
