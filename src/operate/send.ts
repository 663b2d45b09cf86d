import { amountLimit } from "../commands-to-results/amount-limit.ts";
import { checkFor } from "../commands-to-results/check.ts";
import { subjectOf } from "../kafka/cluster/topics.ts";
import { headerValue } from "../kafka/headers.ts";
import { PublishError } from "../kafka/produce/publish-error.ts";
import type { Incoming } from "../kafka/record.ts";
import { decoder, encoder } from "../kafka/schema/codec.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import type { Command, CommandResult } from "../records.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { follow } from "./follow.ts";
import type { ToolServices } from "./tool-services.ts";

const SEND_TIMEOUT_MS = 15_000;

/** Why the bridge would reject this command, as the end of a sentence; null if it would not. */
export const commandFault = (
  { partner: { purposes, currencies }, commands }: ToolServices["config"],
  command: Command,
): string | null => {
  const checked = checkFor({ purposes, currencies }).record(command);
  if (!checked.ok) return checked.message;
  return amountLimit(commands.maxAmounts ?? new Map())(checked.command.request);
};

/**
 * Watches from now on for a command's first result, or for the dead letter that says why none will come.
 * @param value the command's bytes
 */
export const watchResult = async (services: ToolServices, commandId: string, value: Buffer) => {
  const { config } = services;
  const decode = decoder<CommandResult>(readSchema("command-result"), services);
  const { promise: ended, resolve: end } = Promise.withResolvers<CommandResult | string>();
  const unreadable = (reason: string): void =>
    end(
      `The result of command ${commandId} came, and cannot be read (${reason}): see \`cambio-bridge story\`.`,
    );
  const takeResult = async (record: Incoming): Promise<void> => {
    if (headerValue(record.headers, "correlation-id")?.toString() !== commandId || !record.value) return;
    const decoded = await decode(record.value);
    if (decoded.ok) end(decoded.value);
    else unreadable(decoded.detail);
  };
  const takeLetter = (record: Incoming): void => {
    const reason = headerValue(record.headers, "dead-letter-reason")?.toString();
    if (reason === "COMMAND_ID_REUSED" && record.value?.equals(value))
      end(
        `No result can come: commandId ${commandId} belongs to another command. Send this one under its own.`,
      );
  };
  const fromNow = (topic: string, take: (record: Incoming) => void) =>
    follow(services, { topic, fromBeginning: false }, take);
  const results = await fromNow(config.topics.results, (record) => {
    takeResult(record).catch((error: unknown) => unreadable(messageOf(error)));
  });
  // Only says more: a sender need not have the right to read dead letters.
  const letters = await fromNow(config.topics.deadLetters, takeLetter).catch(() => null);
  return { ended, stop: () => Promise.all([results.stop(), letters?.stop()]) };
};

export const encodeCommand = async (services: ToolServices, command: Command): Promise<Buffer> => {
  const { config } = services;
  const subject = subjectOf(config.topics.commands);
  const schema = readSchema("command");
  const schemaId = await services.registry.find(subject, schema);
  if (schemaId === null)
    throw new UsageError(`Schema ${subject} is not registered: run \`cambio-bridge setup\`.`);
  return encoder<Command>(schema, schemaId)(command);
};

/** Returns null once the command is durable, else a sentence: it may be written. Throws if it surely was not. */
export const writeCommand = async (
  services: ToolServices,
  { commandId, key, value }: { commandId: string; key: string; value: Buffer },
  stopped: AbortSignal,
): Promise<string | null> => {
  const { config } = services;
  const options = { maxWaiting: 1, maxWaitingBytes: 1_048_576, sendTimeoutMs: 8_000 };
  const publisher = services.publisher(config.topics.commands, options);
  const publishing = publisher.publish({ key: Buffer.from(key), value, headers: [] }, SEND_TIMEOUT_MS);
  try {
    await services.clock.within(2 * SEND_TIMEOUT_MS, stopped, publishing);
    return null;
  } catch (error) {
    if (error instanceof PublishError && error.code !== "timeout")
      throw new UsageError(`Command ${commandId} was not sent: ${error.message}.`, { cause: error });
    return (
      `Command ${commandId} may have been written, or not (${messageOf(error)}): send the same again ` +
      `with --command-id ${commandId}, which executes nothing twice.`
    );
  } finally {
    // Nobody waits for this, because closing the connection must not delay the answer.
    publisher.close(0).catch(() => undefined);
  }
};
