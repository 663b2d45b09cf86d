import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { commandFault, encodeCommand, watchResult, writeCommand } from "../operate/send.ts";
import { readPauses } from "../operate/pause.ts";
import { readStatus } from "../operate/status.ts";
import type { Tools } from "../operate/tools.ts";
import { troublesOf } from "../operate/troubles.ts";
import type { Command as CommandRecord, CommandOutcome } from "../records.ts";
import { systemClock } from "../runtime/clock.ts";
import { UsageError } from "../runtime/errors.ts";
import { EXIT, newCommand, type Io } from "./io.ts";
import { durationMs } from "./option-values.ts";
import { withTool } from "./tool.ts";

export const EXIT_OF = {
  SUCCEEDED: EXIT.done,
  REJECTED: EXIT.notDone,
  FAILED: EXIT.notDone,
  IN_DOUBT: EXIT.inDoubt,
} as const satisfies Record<CommandOutcome, number>;

type Common = { commandId?: string; expiresIn?: number; wait?: boolean; timeout?: number };
type CreateFlags = Common & Record<"direction" | "purpose" | "quoted" | "base" | "amount", string>;
type AcceptFlags = Common & { quoteId: string; counterpartyId: string; amount?: string; externalId?: string };
type Request = CommandRecord["request"];

/** Whether the result of this command may still come, by what is known to hold commands back. */
const hopeFor = async (request: Request, tools: Tools): Promise<string> => {
  const nothing = (): null => null;
  const [status, pauses] = await Promise.all([
    readStatus(tools).catch(nothing),
    readPauses({ ...tools, warn: nothing }).catch(nothing),
  ]);
  const isAccept = "cambio.bridge.v1.AcceptQuote" in request;
  const troubles = troublesOf({ status, pauses, doubts: null }, tools.config, systemClock.now());
  const obstacles = troubles.filter(({ holds }) => holds === "commands" || (isAccept && holds === "accepts"));
  return obstacles.length === 0
    ? "it may still come, see `cambio-bridge watch results`"
    : `none can come now (${obstacles.map(({ what }) => what).join("; ")}), see \`cambio-bridge status\``;
};

const send = (io: Io, request: Request, key: string | null, flags: Common): Promise<void> =>
  withTool(io, async (tools) => {
    const { commandId = randomUUID(), wait = false } = flags;
    const { expiresIn = 300_000, timeout: waitMs = 60_000 } = flags;
    const issuedAt = systemClock.now();
    const command: CommandRecord = { commandId, issuedAt, expiresAt: issuedAt + expiresIn, request };
    const fault = commandFault(tools.config, command);
    if (fault !== null) {
      io.err(`Nothing was sent: in this command ${fault}.`);
      io.exit(EXIT.usage);
      return;
    }
    const value = await encodeCommand(tools, command);
    const watch = wait ? await watchResult(tools, commandId, value) : null;
    const uncertainty = await writeCommand(tools, { commandId, key: key ?? commandId, value });
    if (watch === null) {
      if (uncertainty !== null) throw new UsageError(uncertainty);
      io.out(commandId);
      return;
    }
    io.err(uncertainty ?? `Sent command ${commandId}, waiting for its result.`);
    const ended = await systemClock.within(waitMs, io.stopped, watch.ended).catch(() => null);
    watch.stop().catch(() => undefined);
    if (ended !== null && typeof ended !== "string") {
      io.out(JSON.stringify(ended));
      io.exit(EXIT_OF[ended.outcome]);
      return;
    }
    io.err(ended ?? `No result of command ${commandId} came: ${await hopeFor(request, tools)}.`);
    io.exit(EXIT.noResult);
  });

const WAIT =
  "wait for the result, and print it as JSON; the exit code is 0 for SUCCEEDED, 3 for REJECTED or FAILED, 4 for " +
  "IN_DOUBT, and 5 when none came in time";

const withCommonOptions = (command: Command): Command =>
  command
    .option("--command-id <id>", "name the command (default: a random UUID)")
    .option("--expires-in <duration>", "the bridge must not start it later (default: 5m)", durationMs)
    .option("--wait", WAIT)
    .option("--timeout <duration>", "how long to wait (default: 60s)", durationMs);

const createCommand = (io: Io): Command =>
  withCommonOptions(
    newCommand(
      "create-quote",
      "Ask the partner for a quote.",
      "send create-quote --direction OUTBOUND --purpose COMEX \\\n      --amount 1000.00 --base USD " +
        "--quoted BRL --wait",
    ),
  )
    .requiredOption("--direction <direction>", "INBOUND or OUTBOUND")
    .requiredOption("--purpose <purpose>", "such as COMEX or PAYMENT_PROCESSING")
    .requiredOption("--amount <amount>", "the amount to quote, such as 1000.00")
    .requiredOption("--base <currency>", "ISO code of the currency to buy")
    .requiredOption("--quoted <currency>", "ISO code of the currency to sell")
    .action((flags: CreateFlags) => {
      const { direction, purpose, amount: quotedAmount, base, quoted } = flags;
      const currencies = { baseCurrencyIso: base, quotedCurrencyIso: quoted };
      const create = { direction, purpose, quotedAmount, ...currencies };
      return send(io, { "cambio.bridge.v1.CreateQuote": create }, null, flags);
    });

const ACCEPT_EXAMPLE = "send accept-quote --quote-id q-1 --counterparty-id cp-1 --wait";

const acceptCommand = (io: Io): Command =>
  withCommonOptions(
    newCommand("accept-quote", "Accept a quote: this buys currency, and cannot be undone.", ACCEPT_EXAMPLE),
  )
    .requiredOption("--quote-id <id>", "the quote")
    .requiredOption("--counterparty-id <id>", "the counterparty that it is accepted for")
    .option("--amount <amount>", "amount in the foreign currency, for the local quotation flow")
    .option("--external-id <id>", "an identifier of your own")
    .action((flags: AcceptFlags) => {
      const { quoteId, counterpartyId, amount = null, externalId = null } = flags;
      const accept = { quoteId, counterpartyId, amount, externalId };
      return send(io, { "cambio.bridge.v1.AcceptQuote": accept }, quoteId, flags);
    });

export const sendCommand = (io: Io): Command =>
  newCommand("send", "Write one command, and wait for its result if asked to.", ACCEPT_EXAMPLE)
    .addCommand(createCommand(io))
    .addCommand(acceptCommand(io));
