import { randomUUID } from "node:crypto";
import { Command, Option } from "commander";
import { headerValue } from "../kafka/headers.ts";
import { subjectOf } from "../kafka/cluster/topics.ts";
import { PublishError } from "../kafka/produce/publish-error.ts";
import type { Incoming } from "../kafka/record.ts";
import { decoder, encoder } from "../kafka/schema/codec.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { commandFault } from "../operate/command-fault.ts";
import type { ToolServices } from "../operate/tool-services.ts";
import type { Command as CommandRecord, CommandOutcome, CommandResult } from "../records.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { examples, EXIT, type Exit, type ExitCode, type Io } from "./io.ts";
import { durationMs } from "./option-values.ts";
import { whyNoCommands } from "./status.ts";
import { withTool } from "./tool.ts";
import { follow } from "./watch.ts";

const SEND_TIMEOUT_MS = 15_000;

export const EXIT_OF = {
  SUCCEEDED: EXIT.done,
  REJECTED: EXIT.notDone,
  FAILED: EXIT.notDone,
  IN_DOUBT: EXIT.inDoubt,
} as const satisfies Record<CommandOutcome, ExitCode>;

type Common = { commandId?: string; expiresIn: number; wait?: boolean; timeout: number };
type CreateFlags = Common & Record<"direction" | "purpose" | "quoted" | "base" | "amount", string>;
type AcceptFlags = Common & { quoteId: string; counterpartyId: string; amount?: string; externalId?: string };
type Request = CommandRecord["request"];

/**
 * Watches from now on for a command's first result, or for the dead letter that says why none will come.
 * @param value the command's bytes
 */
const watchResult = async (services: ToolServices, commandId: string, value: Buffer) => {
  const { config } = services;
  const { registry, clock } = services;
  const decode = decoder<CommandResult>(readSchema("command-result"), registry, clock.monotonic);
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

const encoded = async (services: ToolServices, command: CommandRecord): Promise<Buffer> => {
  const { config } = services;
  const subject = subjectOf(config.topics.commands);
  const schema = readSchema("command");
  const schemaId = await services.registry.find(subject, schema);
  if (schemaId === null)
    throw new UsageError(`Schema ${subject} is not registered: run \`cambio-bridge setup\`.`);
  return encoder<CommandRecord>(schema, schemaId)(command);
};

/** Null once the command is durable; else a sentence that nobody knows. Throws where it was certainly not written. */
export const write = async (
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
    // Not awaited: closing the connection must not delay the answer.
    publisher.close(0).catch(() => undefined);
  }
};

const send = (io: Io, request: Request, key: string | null, flags: Common): Promise<ExitCode> =>
  withTool(io, async (tool) => {
    const { commandId = randomUUID(), expiresIn, wait = false, timeout: waitMs } = flags;
    const issuedAt = systemClock.now();
    const command: CommandRecord = { commandId, issuedAt, expiresAt: issuedAt + expiresIn, request };
    const fault = commandFault(tool.config, command);
    if (fault !== null) {
      io.err(`Nothing was sent: in this command ${fault}.`);
      return EXIT.usage;
    }
    const value = await encoded(tool, command);
    const watch = wait ? await watchResult(tool, commandId, value) : null;
    const unknown = await write(tool, { commandId, key: key ?? commandId, value }, io.stopped);
    if (watch === null) {
      if (unknown !== null) throw new UsageError(unknown);
      io.out(commandId);
      return EXIT.done;
    }
    io.err(unknown ?? `Sent command ${commandId}, waiting for its result.`);
    const ended = await systemClock.within(waitMs, io.stopped, watch.ended).catch(() => null);
    watch.stop().catch(() => undefined);
    if (ended !== null && typeof ended !== "string") {
      io.out(JSON.stringify(ended));
      return EXIT_OF[ended.outcome];
    }
    const asking = ended === null ? whyNoCommands(tool, request, io.stopped) : Promise.resolve(null);
    const why = await systemClock.within(SEND_TIMEOUT_MS, io.stopped, asking).catch(() => null);
    const hope = why === null ? "it may still come" : `none can come now (${why})`;
    io.err(ended ?? `No result of command ${commandId} came: ${hope}, see \`cambio-bridge watch results\`.`);
    return EXIT.noResult;
  });

const withCommonOptions = (command: Command): Command =>
  command
    .option("--command-id <id>", "name the command (default: a random UUID)")
    .addOption(
      new Option("--expires-in <duration>", "the bridge must not start it later than this")
        .argParser(durationMs)
        .default(300_000, "5m"),
    )
    .option("--wait", "wait for the result, and print it as JSON")
    .addOption(
      new Option("--timeout <duration>", "how long to wait").argParser(durationMs).default(60_000, "60s"),
    )
    .addHelpText(
      "after",
      "\nWith --wait the exit code is 0 for SUCCEEDED, 3 for REJECTED or FAILED,\n4 for IN_DOUBT, and 5 " +
        "when no result came in time.",
    );

export const sendCommand = (io: Io, exit: Exit): Command => {
  const create = withCommonOptions(new Command("create-quote").description("Ask the partner for a quote."))
    .requiredOption("--direction <direction>", "INBOUND or OUTBOUND")
    .requiredOption("--purpose <purpose>", "such as COMEX or PAYMENT_PROCESSING")
    .requiredOption("--amount <amount>", "the amount to quote, such as 1000.00")
    .requiredOption("--base <currency>", "ISO code of the currency to buy")
    .requiredOption("--quoted <currency>", "ISO code of the currency to sell")
    .addHelpText(
      "after",
      examples(
        "send create-quote --direction OUTBOUND --purpose COMEX \\\n      --amount 1000.00 --base USD " +
          "--quoted BRL --wait",
      ),
    )
    .action(async (flags: CreateFlags) => {
      const { direction, purpose, amount: quotedAmount, base, quoted } = flags;
      const currencies = { baseCurrencyIso: base, quotedCurrencyIso: quoted };
      const create = { direction, purpose, quotedAmount, ...currencies };
      exit(await send(io, { "cambio.bridge.v1.CreateQuote": create }, null, flags));
    });
  const accept = withCommonOptions(
    new Command("accept-quote").description("Accept a quote: this buys currency, and cannot be undone."),
  )
    .requiredOption("--quote-id <id>", "the quote")
    .requiredOption("--counterparty-id <id>", "the counterparty that it is accepted for")
    .option("--amount <amount>", "amount in the foreign currency, for the local quotation flow")
    .option("--external-id <id>", "an identifier of your own")
    .addHelpText("after", examples("send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait"))
    .action(async (flags: AcceptFlags) => {
      const { quoteId, counterpartyId, amount = null, externalId = null } = flags;
      const accept = { quoteId, counterpartyId, amount, externalId };
      exit(await send(io, { "cambio.bridge.v1.AcceptQuote": accept }, quoteId, flags));
    });
  return new Command("send")
    .description("Write one command, and wait for its result if asked to.")
    .addCommand(create)
    .addCommand(accept)
    .addHelpText("after", examples("send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait"));
};
