import { text as textOf } from "node:stream/consumers";
import { Command, Option } from "commander";
import { partnerLogViews } from "../operate/partner-log.ts";
import { openPartner } from "../partner/wire.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { escapeInvisibleLines } from "../runtime/invisible.ts";
import { day } from "./option-values.ts";
import { adviceFor } from "./partner-advice.ts";
import { configOf, examples, EXIT, type Exit, type ExitCode, type Io } from "./io.ts";

type View = keyof ReturnType<typeof partnerLogViews>;
type Flags = { from: string; to: string; eventType?: string } & { [V in View]?: boolean };

const VIEWS = ["json", "raw"] as const satisfies readonly View[];

const DATES = "see its answer: it may want other dates or another PARTNER_LOG_END_PARAMETER";

const logs = async (io: Io, flags: Flags): Promise<ExitCode> => {
  const config = configOf(io, "partner");
  const partner = openPartner(config, { clock: systemClock });
  let hidden = 0;
  try {
    const { from: startDate, to: endDate, eventType = null } = flags;
    const answer = await partner.fetchLog({ startDate, endDate, eventType }, io.stopped);
    const isLog = answer.httpStatus >= 200 && answer.httpStatus < 300;
    const body = partner.masked(answer.body, (count) => (hidden += count));
    const viewName = VIEWS.find((name) => flags[name] === true) ?? "entries";
    if (isLog || viewName === "raw") {
      const wrong = await partnerLogViews(config)[viewName]({ ...answer, body }, io.write);
      if (isLog && wrong === null) return EXIT.done;
      if (isLog) io.err(`The answer ${wrong}: see it with --raw, and docs/partner.md.`);
    } else await io.write(Buffer.from(escapeInvisibleLines(await textOf(body))));
    if (!isLog) io.err(`The partner answered ${answer.httpStatus}; ${adviceFor(answer.httpStatus, DATES)}.`);
    return EXIT.failed;
  } catch (error) {
    // Silent after an interrupt, or when nobody reads the output.
    if (!io.stopped.aborted)
      io.err(
        `The log could not be read to its end (${messageOf(error)}): see that the partner can be reached.`,
      );
    return EXIT.failed;
  } finally {
    if (hidden > 0) io.err("Warning: the partner repeats secrets of ours: they are shown as ***.");
    await partner.close();
  }
};

export const logsCommand = (io: Io, exit: Exit): Command =>
  new Command("logs")
    .description("Show the partner's log of its notifications.")
    .addOption(new Option("--from <day>", "first day, YYYY-MM-DD").argParser(day).makeOptionMandatory())
    .addOption(new Option("--to <day>", "last day").argParser(day).makeOptionMandatory())
    .option("--event-type <name>", "only these events, such as TRANSACTION_STATUS_UPDATED")
    .addOption(new Option("--json", "print one JSON object a line").conflicts("raw"))
    .option("--raw", "print it byte for byte, without our secrets")
    .addHelpText("after", examples("logs --from 2026-12-01 --to 2026-12-02 --json"))
    .action(async (flags: Flags, command: Command) => {
      if (flags.from > flags.to) command.error("error: --from must not be later than --to", { exitCode: 2 });
      exit(await logs(io, flags));
    });
