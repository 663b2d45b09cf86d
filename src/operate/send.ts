import { amountLimit } from "../commands-to-results/amount-limit.ts";
import { checkFor } from "../commands-to-results/check.ts";
import { subjectOf } from "../kafka/cluster/topics.ts";
import { headerValue } from "../kafka/headers.ts";
import { PublishError } from "../kafka/produce/publish-error.ts";
import type { Incoming } from "../kafka/record.ts";
import { encoder } from "../kafka/schema/codec.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import type { Command, CommandResult } from "../records.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { follow } from "./follow.ts";
import { valueReader } from "./read-topic.ts";
import { publishOne, type Tools } from "./tools.ts";

const SEND_TIMEOUT_MS = 15_000;

/** Returns the fault as the end of a sentence, or null. */
export const commandFault = (
  { partner: { purposes, currencies }, commands }: Tools["config"],
  command: Command,
): string | null => {
  const checked = checkFor({ purposes, currencies }).record(command);
  if (!checked.ok) return checked.message;
  return amountLimit(commands.maxAmounts ?? new Map())(checked.command.request);
};

/** Gives the command's first result, or the sentence of the dead letter that says why none will come. */
export const watchResult = async (tools: Tools, commandId: string, value: Buffer) => {
  const { topics } = tools.config;
  const readResult = valueReader<CommandResult>(tools, "command-result");
  const { promise: ended, resolve: end } = Promise.withResolvers<CommandResult | string>();
  const takeResult = async (record: Incoming): Promise<void> => {
    if (headerValue(record.headers, "correlation-id")?.toString() !== commandId) return;
    const result = await readResult(record.value).catch(() => null);
    end(
      result ?? `The result of command ${commandId} came, and cannot be read: see \`cambio-bridge story\`.`,
    );
  };
  const takeLetter = (record: Incoming): void => {
    const reason = headerValue(record.headers, "dead-letter-reason")?.toString();
    if (reason === "COMMAND_ID_REUSED" && record.value?.equals(value))
      end(
        `No result can come: commandId ${commandId} belongs to another command. Send this one under its own.`,
      );
  };
  // The result may stand in a partition before it is seen that this one has a leader again.
  const rules = { fromBeginning: false, healed: "whole" } as const;
  const results = await follow(tools, { topic: topics.results, ...rules }, takeResult);
  // Only says more: a sender need not have the right to read dead letters.
  const following = follow(tools, { topic: topics.deadLetters, ...rules }, takeLetter);
  const letters = await following.catch(() => null);
  return { ended, stop: () => Promise.all([results.stop(), letters?.stop()]) };
};

export const encodeCommand = async (tools: Tools, command: Command): Promise<Buffer> => {
  const subject = subjectOf(tools.config.topics.commands);
  const schema = readSchema("command");
  const schemaId = await tools.registry.find(subject, schema);
  if (schemaId === null)
    throw new UsageError(`Schema ${subject} is not registered: run \`cambio-bridge setup\`.`);
  return encoder<Command>(schema, schemaId)(command);
};

/** Returns null once the command is durable, else a sentence: it may be written. Throws if it surely was not. */
export const writeCommand = async (
  tools: Tools,
  { commandId, key, value }: { commandId: string; key: string; value: Buffer },
): Promise<string | null> => {
  const topic = tools.config.topics.commands;
  const record = { key: Buffer.from(key), value };
  const publishing = publishOne(tools, { topic, timeoutMs: SEND_TIMEOUT_MS }, record);
  try {
    await tools.clock.within(2 * SEND_TIMEOUT_MS, tools.stopped, publishing);
    return null;
  } catch (error) {
    if (error instanceof PublishError && error.code !== "timeout")
      throw new UsageError(`Command ${commandId} was not sent: ${error.message}.`, { cause: error });
    return (
      `Command ${commandId} may have been written, or not (${messageOf(error)}): send the same again ` +
      `with --command-id ${commandId}, which executes nothing twice.`
    );
  }
};
