import { outageAdvice } from "../services/outage.ts";
import { PublishError } from "../kafka/produce/publish-error.ts";
import type { CommandOutcome, CommandResult } from "../records.ts";
import { DeadlineError, systemClock } from "../runtime/clock.ts";
import { messageOf, OutageError, UsageError } from "../runtime/errors.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";

export type ResultWatch = {
  /**
   * Resolves with the command's first result, or a sentence once it is certain that none will come; else stays
   * pending.
   */
  ended: Promise<CommandResult | string>;
  stop: () => Promise<void>;
};

export type Delivery = {
  commandId: string;
  /**
   * Resolves when the command is durable. Only a PublishError `timeout` leaves open whether the topic has it; other
   * errors mean that it has not.
   */
  write: () => Promise<void>;
  /** Resolves when results are watched, from then on; null when none is waited for. */
  watchResult: (() => Promise<ResultWatch>) | null;
  /** Why commands are not being executed now; null where nothing is known to keep them from that. */
  hindrance: () => Promise<string | null>;
  waitMs: number;
  /** The member of the result that is printed as text; null for all of it as JSON. */
  print: keyof CommandResult | null;
};

/** Longer than all timeouts within `write`. */
const WRITE_WITHIN_MS = 60_000;
const HINDRANCE_WITHIN_MS = 10_000;

const EXIT_OF = {
  SUCCEEDED: EXIT.done,
  REJECTED: EXIT.notDone,
  FAILED: EXIT.notDone,
  IN_DOUBT: EXIT.inDoubt,
} as const satisfies Record<CommandOutcome, ExitCode>;

const notSent = (commandId: string, error: unknown): UsageError => {
  const reason = messageOf(error).replace(/\.$/, "");
  const advice = error instanceof OutageError ? `; ${outageAdvice(error)}` : "";
  return new UsageError(`Command ${commandId} was not sent: ${reason}${advice}.`, { cause: error });
};

/** Writes a command, and waits for its result if asked to. Throws a UsageError when the command was not written. */
export const deliver = async (
  { out, err, stopped }: Pick<Io, "out" | "err" | "stopped">,
  { commandId, write, watchResult, hindrance, waitMs, print }: Delivery,
): Promise<ExitCode> => {
  /** Why it is not known whether the command was written. */
  const doubtOf = (error: unknown): string => {
    const isTimeout = error instanceof PublishError && error.code === "timeout";
    if (!stopped.aborted && !isTimeout && !(error instanceof DeadlineError)) throw error;
    return stopped.aborted ? "it was interrupted" : messageOf(error);
  };
  let watch: ResultWatch | null;
  let unknown: string | null;
  try {
    watch = (await watchResult?.()) ?? null;
    unknown = await systemClock.within(WRITE_WITHIN_MS, stopped, write()).then(() => null, doubtOf);
  } catch (error) {
    throw notSent(commandId, error);
  }
  // Says how to find out, too: a command with the same id is never executed twice.
  if (unknown !== null)
    err(
      `Command ${commandId} may have been written, although ${unknown}: send the same again with --command-id ${commandId}, which executes nothing twice, or look for its result with \`cambio-bridge watch results --from-beginning\`.`,
    );
  if (!watch) {
    if (unknown === null) out(commandId);
    return unknown === null ? EXIT.done : EXIT.failed;
  }

  if (unknown === null) err(`Sent command ${commandId}, waiting for its result.`);
  const ended = await systemClock.within(waitMs, stopped, watch.ended).catch(() => null);
  await watch.stop().catch(() => undefined);
  if (ended === null) {
    const why = await systemClock.within(HINDRANCE_WITHIN_MS, stopped, hindrance()).catch(() => null);
    const end = stopped.aborted ? "was there when the wait was interrupted" : "came in time";
    const hope = why === null ? "it may still come" : `none can come now (${why})`;
    err(`No result of command ${commandId} ${end}: ${hope}, see \`cambio-bridge watch results\`.`);
    return EXIT.noResult;
  }
  if (typeof ended === "string") {
    err(ended);
    return EXIT.noResult;
  }
  out(print === null ? JSON.stringify(ended) : String(ended[print] ?? ""));
  return EXIT_OF[ended.outcome];
};
