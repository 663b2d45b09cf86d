import { parseEnv } from "node:util";
import { textOf } from "./documents.ts";
import type { Settings } from "./settings.ts";

const PAGE = textOf("docs/first-day.md");

/** The page's text of a stage, which is headed with its letter. */
const sectionOf = (stage: string): string =>
  PAGE.split(/^## /m).find((section) => section.startsWith(`(${stage})`)) ?? "";

const linesOf = (stage: string): string[] =>
  [...sectionOf(stage).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, code = ""]) => code.split("\n"));

/** The settings that the page gives for a stage, in a block or in the rows of a table. */
export const settingsOfStage = (stage: string): Settings => {
  const inRows = [...sectionOf(stage).matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([A-Z_]+=[^`]+)`/g)].map(([, setting = ""]) => setting),
  );
  return parseEnv(
    [...linesOf(stage), ...inRows].filter((line) => /^[A-Z_]+=/.test(line)).join("\n"),
  ) as Settings;
};

/** The arguments of the commands that the page shows in a stage. */
export const commandsOfStage = (stage: string): string[][] =>
  linesOf(stage)
    .filter((line) => line.startsWith("cambio-bridge "))
    .map((line) => [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word).slice(1));
