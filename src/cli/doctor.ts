import type { Command } from "commander";
import { readEnvironment } from "../config/load.ts";
import type { Check } from "../doctor/check.ts";
import { runChecks } from "../doctor/doctor.ts";
import { systemClock } from "../runtime/clock.ts";
import { firstDayQuestions } from "../doctor/first-day.ts";
import { configOf, EXIT, newCommand, printRows, type Io } from "./io.ts";
import { silent } from "../runtime/log.ts";

type Flags = { json?: boolean; firstDay?: boolean };

const GROUP_WIDTH = 9;
const NAME_WIDTH = 32;

type Finding = { group: string } & Check;

const lineOf = ({ group, status, name, detail, remedy }: Finding): string => {
  const finding = remedy === null ? detail : `${detail}. To do: ${remedy}`;
  return `${status.padEnd(5)} ${group.padEnd(GROUP_WIDTH)} ${name.padEnd(NAME_WIDTH)}  ${finding}`;
};

const counted = (checks: readonly Check[]): string => {
  const count = (wanted: Check["status"]): number => checks.filter(({ status }) => status === wanted).length;
  return `${count("ok")} ok, ${count("warn")} to look at (warn), ${count("fail")} to mend (fail). Begin at the top.`;
};

const doctor = async (io: Io, { json = false }: Flags): Promise<void> => {
  const settings = readEnvironment(io.env, "serve");
  const subjects = runChecks(settings, { log: silent, clock: systemClock, signal: io.stopped });
  // They are awaited one after the other: a later one that rejects meanwhile would be an unhandled rejection.
  for (const { checks } of subjects) checks.catch(() => undefined);
  const all: Finding[] = [];
  try {
    for (const { group, checks } of subjects) {
      const findings = (await checks).map((check) => ({ group, ...check }));
      if (!json && findings.length > 0 && all.length > 0) io.out("");
      if (!json) findings.map(lineOf).forEach(io.out);
      all.push(...findings);
    }
  } catch (error) {
    if (!io.stopped.aborted) throw error;
    io.err("Interrupted: not everything was checked.");
    io.exit(EXIT.failed);
    return;
  }
  const ok = all.every(({ status }) => status !== "fail");
  io.out(json ? JSON.stringify({ ok, checks: all }, null, 2) : `\n${counted(all)}`);
  if (!ok) io.exit(EXIT.failed);
};

const firstDay = (io: Io, { json = false }: Flags): Promise<void> => {
  const rows = firstDayQuestions(configOf(io, "tool"), io.env).map((question) => {
    const { now, settings, meanwhile } = question;
    // Only settings that stand alone can be loose.
    const value = `${settings}=${io.env[settings] || "(default)"}`;
    return now === "loose" && !json
      ? { ...question, meanwhile: `now ${value}; for the first day: ${meanwhile}` }
      : question;
  });
  return printRows(io, rows, { json, columns: ["now", "question", "settings", "meanwhile"] });
};

export const doctorCommand = (io: Io): Command =>
  newCommand(
    "doctor",
    "Check everything that a start and a first day need, and say what to do.\nChanges nothing. (A " +
      "webhook listener that takes unsigned requests makes a dead\nletter of the one that is sent to it.)",
    "doctor",
    "doctor --json",
    "doctor --first-day",
  )
    .summary("Check everything that a start needs, and say what to do.")
    .option("--json", "print one JSON object; with --first-day one a line")
    .option("--first-day", "the questions of docs/first-day.md, each tight, loose or unanswered")
    .action((flags: Flags) => (flags.firstDay === true ? firstDay(io, flags) : doctor(io, flags)));
