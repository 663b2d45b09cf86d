import { text as textOf } from "node:stream/consumers";
import { Option, type Command } from "commander";
import { partnerLogViews } from "../operate/partner-log.ts";
import { openPartner } from "../partner/wire.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { escapeInvisibleLines } from "../runtime/invisible.ts";
import { configOf, EXIT, newCommand, type Io } from "./io.ts";
import { withDays, type Days } from "./option-values.ts";
import { adviceFor } from "./partner-advice.ts";

type View = keyof ReturnType<typeof partnerLogViews>;
type Flags = Days & { eventType?: string } & { [V in View]?: boolean };

const VIEWS = ["json", "raw"] as const satisfies readonly View[];

const DATES = "see its answer: it may want other dates or another PARTNER_LOG_END_PARAMETER";

const logs = async (io: Io, flags: Flags): Promise<void> => {
  const config = configOf(io, "partner");
  const partner = openPartner(config, { clock: systemClock });
  let hidden = 0;
  const fail = (sentence: string): void => {
    // Silent after an interrupt, or when nobody reads the output.
    if (!io.stopped.aborted) io.err(sentence);
    io.exit(EXIT.failed);
  };
  try {
    const { from: startDate, to: endDate, eventType = null } = flags;
    const answer = await partner.fetchLog({ startDate, endDate, eventType }, io.stopped);
    const isLog = answer.httpStatus >= 200 && answer.httpStatus < 300;
    const body = partner.masked(answer.body, (count) => (hidden += count));
    const viewName = VIEWS.find((name) => flags[name] === true) ?? "entries";
    if (isLog || viewName === "raw") {
      const fault = await partnerLogViews(config, io.err)[viewName]({ ...answer, body }, io.write);
      if (isLog && fault !== null) fail(`The answer ${fault}: see it with --raw, and docs/partner.md.`);
    } else await io.write(Buffer.from(escapeInvisibleLines(await textOf(body))));
    if (!isLog) fail(`The partner answered ${answer.httpStatus}; ${adviceFor(answer.httpStatus, DATES)}.`);
  } catch (error) {
    fail(`The log could not be read to its end (${messageOf(error)}): see that the partner can be reached.`);
  } finally {
    if (hidden > 0) io.err("Warning: the partner repeats secrets of ours: they are shown as ***.");
    await partner.close();
  }
};

export const logsCommand = (io: Io): Command =>
  withDays(
    newCommand(
      "logs",
      "Show the partner's log of its notifications.",
      "logs --from 2026-12-01 --to 2026-12-02 --json",
    ),
  )
    .option("--event-type <name>", "only these events, such as TRANSACTION_STATUS_UPDATED")
    .addOption(new Option("--json", "print one JSON object a line").conflicts("raw"))
    .option("--raw", "print it byte for byte, without our secrets")
    .action((flags: Flags) => logs(io, flags));
