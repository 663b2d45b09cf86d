import { PublishError } from "../kafka/produce/publish-error.ts";
import type { CommandOutcome, CommandResult } from "../records.ts";
import { DeadlineError, systemClock } from "../runtime/clock.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";

/** Somebody who watches for a command's result. */
export type Expected = { result: Promise<CommandResult>; stop: () => Promise<void> };

/** A command on its way to its topic. */
export type Delivery = {
  commandId: string;
  /** Resolves when the command is durable. Whatever it rejects with but a PublishError's `timeout` says that it is not in the topic. */
  write: () => Promise<void>;
  /** Resolves when no result that comes from then on is missed; null when nobody waits for one. */
  expectResult: (() => Promise<Expected>) | null;
  waitMs: number;
};

/** Longer than everything that `write` waits for. */
const WRITE_WITHIN_MS = 60_000;

const EXIT_OF = {
  SUCCEEDED: EXIT.done,
  REJECTED: EXIT.notDone,
  FAILED: EXIT.notDone,
  IN_DOUBT: EXIT.inDoubt,
} as const satisfies Record<CommandOutcome, ExitCode>;

/** Whoever hears this knows how to find out: under the same id a command is never executed twice. */
const unacknowledged = (commandId: string, reason: string): string =>
  `Command ${commandId} may have been written, although ${reason}: send the same again with --command-id ${commandId}, which executes nothing twice, or look for its result with \`cambio-bridge watch results --from-beginning\`.`;

const notSent = (commandId: string, error: unknown): UsageError => {
  const reason = messageOf(error).replace(/\.$/, "");
  return new UsageError(`Command ${commandId} was not sent: ${reason}.`, { cause: error });
};

/** Writes a command, waits for its result where that is wanted, and says what is known of it. Throws a UsageError when it was not written. */
export const deliver = async (
  { out, err, stopped }: Pick<Io, "out" | "err" | "stopped">,
  { commandId, write, expectResult, waitMs }: Delivery,
): Promise<ExitCode> => {
  /** Why nobody knows whether it was written; null when it was. */
  const written = async (): Promise<string | null> => {
    try {
      await systemClock.within(WRITE_WITHIN_MS, stopped, write());
      return null;
    } catch (error) {
      if (stopped.aborted) return "it was interrupted";
      const isTimeout = error instanceof PublishError && error.code === "timeout";
      if (isTimeout || error instanceof DeadlineError) return messageOf(error);
      throw error;
    }
  };

  let expected: Expected | null;
  let unknown: string | null;
  try {
    expected = (await expectResult?.()) ?? null;
    unknown = await written();
  } catch (error) {
    throw notSent(commandId, error);
  }
  if (!expected) {
    if (unknown === null) out(commandId);
    else err(unacknowledged(commandId, unknown));
    return unknown === null ? EXIT.done : EXIT.failed;
  }

  const { result, stop } = expected;
  err(
    unknown === null
      ? `Sent command ${commandId}, waiting for its result.`
      : `Command ${commandId} may have been written, although ${unknown}; waiting for its result.`,
  );
  const found = await systemClock.within(waitMs, stopped, result).catch(() => null);
  if (found) out(JSON.stringify(found));
  else if (unknown === null)
    err(
      `No result of command ${commandId} came in time: it may still come, see \`cambio-bridge watch results\`.`,
    );
  else err(unacknowledged(commandId, unknown));
  // What there was to say is said.
  await stop().catch(() => undefined);
  return found ? EXIT_OF[found.outcome] : EXIT.noResult;
};
