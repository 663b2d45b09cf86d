import { randomUUID } from "node:crypto";
import { Command, Option } from "commander";
import { commandFault } from "../operate/command-fault.ts";
import { explainOutage } from "../services/outage.ts";
import { decoder, encoder } from "../kafka/schema/codec.ts";
import { headerValue } from "../kafka/headers.ts";
import type { Incoming } from "../kafka/record.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { subjectOf } from "../kafka/cluster/topics.ts";
import type { Connections } from "../operate/connections.ts";
import type { Command as CommandRecord, CommandResult } from "../records.ts";
import { systemClock } from "../runtime/clock.ts";
import { messageOf, UsageError } from "../runtime/errors.ts";
import { deliver, type ResultWatch } from "./deliver.ts";
import { durationMs } from "./option-values.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { whyNoCommands } from "./status.ts";
import { openTool } from "./tool.ts";
import { follow } from "./watch.ts";

/** What scripts need of a result. */
const MEMBERS = ["outcome", "quoteId", "externalId", "transactionId", "httpStatus", "response"] as const;

const SEND_TIMEOUT_MS = 15_000;
/** Between two attempts to read a result while the registry does not answer. */
const AGAIN_AFTER_MS = 1_000;

type Common = {
  commandId?: string;
  expiresIn: number;
  wait?: boolean;
  timeout: number;
  print?: (typeof MEMBERS)[number];
};
type CreateFlags = Common & Record<"direction" | "purpose" | "quoted" | "base" | "amount", string>;
type AcceptFlags = Common & { quoteId: string; counterpartyId: string; amount?: string; externalId?: string };
type Request = CommandRecord["request"];

/**
 * Watches for a command's result from now on. An IN_DOUBT counts as one: the final result may take long.
 * @param sent the command's bytes, once they are about to be written
 */
const watchResult = async (
  { config, services }: Connections,
  commandId: string,
  sent: { readonly value: Buffer | null },
  warn: (sentence: string) => void,
): Promise<ResultWatch> => {
  const schema = readSchema("command-result");
  const decode = decoder<CommandResult>(schema, services.registry, systemClock.monotonic);
  const stopped = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<CommandResult | string>();
  /** Asks again while the registry does not answer. Rejects when stopped. */
  const read = async (value: Buffer): Promise<void> => {
    for (let isFirst = true; ; isFirst = false) {
      const decoded = await Promise.resolve(decode(value)).catch((error: unknown) => {
        return { ok: false as const, detail: messageOf(error) };
      });
      if (decoded.ok) {
        end(decoded.value);
        return;
      }
      if (isFirst) warn(`A result of command ${commandId} came, but cannot be read yet (${decoded.detail}).`);
      await systemClock.sleep(AGAIN_AFTER_MS, stopped.signal);
    }
  };
  const take = ({ headers, value }: Incoming): void => {
    const isOurs = headerValue(headers, "correlation-id")?.toString() === commandId;
    if (isOurs && value !== null) read(value).catch(() => undefined);
  };
  const takeLetter = ({ headers, value }: Incoming): void => {
    const reason = headerValue(headers, "dead-letter-reason")?.toString();
    if (reason === "COMMAND_ID_REUSED" && sent.value !== null && value?.equals(sent.value))
      end(
        `No result can come: commandId ${commandId} belongs to another command. Send this one under its own.`,
      );
  };
  const fromNow = (topic: string, onRecord: (record: Incoming) => void) =>
    follow(services, { topic, fromBeginning: false }, onRecord);
  const results = await explainOutage(config, fromNow(config.topics.results, take));
  // Only says more: a sender need not have the right to read dead letters.
  const letters = await fromNow(config.topics.deadLetters, takeLetter).catch(() => null);
  return {
    ended,
    stop: async () => {
      stopped.abort();
      await Promise.all([results.stop(), letters?.stop()]);
    },
  };
};

const write = async (
  { config, services }: Connections,
  command: CommandRecord,
  key: string,
  sent: { value: Buffer | null },
): Promise<void> => {
  const topic = config.topics.commands;
  const schema = readSchema("command");
  const schemaId = await explainOutage(config, services.registry.find(subjectOf(topic), schema));
  if (schemaId === null) {
    throw new UsageError(`Schema ${subjectOf(topic)} is not registered: run \`cambio-bridge setup\`.`);
  }
  const options = { maxWaiting: 1, maxWaitingBytes: 1_048_576, sendTimeoutMs: 8_000 };
  const publisher = services.publisher(topic, options);
  try {
    const value = encoder<CommandRecord>(schema, schemaId)(command);
    sent.value = value;
    await publisher.publish({ key: Buffer.from(key), value, headers: [] }, SEND_TIMEOUT_MS);
  } finally {
    // Not awaited: closing the connection must not delay the answer.
    publisher.close(0).catch(() => undefined);
  }
};

const send = async (io: Io, request: Request, key: string | null, flags: Common): Promise<ExitCode> => {
  const tool = openTool(io);
  const commandId = flags.commandId ?? randomUUID();
  const issuedAt = systemClock.now();
  const command: CommandRecord = { commandId, issuedAt, expiresAt: issuedAt + flags.expiresIn, request };
  const fault = commandFault(tool.config, command);
  if (fault !== null) {
    io.err(`Nothing was sent: in this command ${fault}.`);
    return EXIT.usage;
  }
  const sent = { value: null };
  return deliver(io, {
    commandId,
    write: () => write(tool, command, key ?? commandId, sent),
    watchResult:
      flags.wait === true || flags.print !== undefined
        ? () => watchResult(tool, commandId, sent, io.err)
        : null,
    hindrance: () => whyNoCommands(tool, request, io.stopped),
    waitMs: flags.timeout,
    print: flags.print ?? null,
  });
};

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
      new Option("--print <member>", "wait, and print only this member of the result").choices(MEMBERS),
    )
    .addOption(
      new Option("--timeout <duration>", "how long to wait").argParser(durationMs).default(60_000, "60s"),
    )
    .addHelpText(
      "after",
      "\nWith --wait or --print the exit code is 0 for SUCCEEDED, 3 for REJECTED or\nFAILED, 4 for IN_DOUBT, and 5 when no result came in time.",
    );

export const sendCommand = (io: Io, exit: (code: ExitCode) => void): Command => {
  const create = withCommonOptions(new Command("create-quote").description("Ask the partner for a quote."))
    .requiredOption("--direction <direction>", "INBOUND or OUTBOUND")
    .requiredOption("--purpose <purpose>", "such as COMEX or PAYMENT_PROCESSING")
    .requiredOption("--amount <amount>", "the amount to quote, such as 1000.00")
    .requiredOption("--base <currency>", "ISO code of the currency to buy")
    .requiredOption("--quoted <currency>", "ISO code of the currency to sell")
    .addHelpText(
      "after",
      examples(
        "send create-quote --direction OUTBOUND --purpose COMEX \\\n      --amount 1000.00 --base USD --quoted BRL --wait",
      ),
    )
    .action(async (flags: CreateFlags) => {
      const { direction, purpose, amount, base, quoted } = flags;
      const request = {
        "cambio.bridge.v1.CreateQuote": {
          direction,
          purpose,
          quotedAmount: amount,
          baseCurrencyIso: base,
          quotedCurrencyIso: quoted,
        },
      };
      exit(await send(io, request, null, flags));
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
      const request = { "cambio.bridge.v1.AcceptQuote": { quoteId, counterpartyId, amount, externalId } };
      exit(await send(io, request, quoteId, flags));
    });
  return new Command("send")
    .description("Write one command, and wait for its result if asked to.")
    .addCommand(create)
    .addCommand(accept)
    .addHelpText("after", examples("send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait"));
};
