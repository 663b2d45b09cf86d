import { Command } from "commander";
import { readEnvironment } from "../config/load.ts";
import type { Check } from "../doctor/check.ts";
import { runChecks } from "../doctor/doctor.ts";
import { systemClock } from "../runtime/clock.ts";
import { firstDayQuestions } from "../doctor/first-day.ts";
import { configOf, examples, EXIT, printRows, type Exit, type ExitCode, type Io } from "./io.ts";
import { silent } from "../runtime/log.ts";

type Flags = { json?: boolean; firstDay?: boolean };

const GROUP_WIDTH = 9;
const NAME_WIDTH = 32;

/** One line for each check: status, subject, what was checked, what is wrong, what to do. */
const lineOf = (group: string, { status, name, detail, remedy }: Check): string => {
  const finding = remedy === null ? detail : `${detail}. To do: ${remedy}`;
  return `${status.padEnd(5)} ${group.padEnd(GROUP_WIDTH)} ${name.padEnd(NAME_WIDTH)}  ${finding}`;
};

const counted = (checks: readonly Check[]): string => {
  const count = (wanted: Check["status"]): number => checks.filter(({ status }) => status === wanted).length;
  return `${count("ok")} ok, ${count("warn")} to look at (warn), ${count("fail")} to mend (fail). Begin at the top.`;
};

const doctor = async (io: Io, flags: Flags): Promise<ExitCode> => {
  const reading = readEnvironment(io.env, "serve");
  const subjects = runChecks(reading, silent, { clock: systemClock, signal: io.stopped });
  // They are awaited one after the other: a later one that rejects meanwhile would be an unhandled rejection.
  for (const { checks } of subjects) checks.catch(() => undefined);
  const all: ({ group: string } & Check)[] = [];
  try {
    for (const { group, checks } of subjects) {
      const done = await checks;
      if (flags.json !== true) {
        if (done.length > 0 && all.length > 0) io.out("");
        for (const check of done) io.out(lineOf(group, check));
      }
      all.push(...done.map((check) => ({ group, ...check })));
    }
    const ok = all.every(({ status }) => status !== "fail");
    io.out(flags.json === true ? JSON.stringify({ ok, checks: all }, null, 2) : `\n${counted(all)}`);
    return ok ? EXIT.done : EXIT.failed;
  } catch (error) {
    if (!io.stopped.aborted) throw error;
    io.err("Interrupted: not everything was checked.");
    return EXIT.failed;
  }
};

/** Prints how far each question of docs/first-day.md is guarded now. Asks nobody. */
const firstDay = (io: Io, { json = false }: Flags): Promise<void> => {
  const valuesOf = (names: string): string =>
    names
      .split(", ")
      .map((name) => `${name}=${io.env[name] ?? "(default)"}`)
      .join(", ");
  const questions = firstDayQuestions(configOf(io, "tool"));
  const rows = questions.map((question) => {
    const { now, settings, meanwhile } = question;
    return now === "loose"
      ? { ...question, meanwhile: `now ${valuesOf(settings)}; for the first day: ${meanwhile}` }
      : question;
  });
  const columns = ["now", "question", "settings", "meanwhile"];
  return printRows(io, json ? questions : rows, { json, columns });
};

export const doctorCommand = (io: Io, exit: Exit): Command =>
  new Command("doctor")
    .summary("Check everything that a start needs, and say what to do.")
    .description(
      "Check everything that a start and a first day need, and say what to do.\nChanges nothing. (A " +
        "webhook listener that takes unsigned requests makes a dead\nletter of the one that is sent to it.)",
    )
    .option("--json", "print one JSON object; with --first-day one a line")
    .option("--first-day", "the questions of docs/first-day.md, each tight, loose or unanswered")
    .addHelpText("after", examples("doctor", "doctor --json", "doctor --first-day"))
    .action(async (flags: Flags) => {
      if (flags.firstDay !== true) exit(await doctor(io, flags));
      else await firstDay(io, flags);
    });
