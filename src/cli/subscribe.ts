import { Option, type Command } from "commander";
import { openPartner } from "../partner/wire.ts";
import { webhookSecrets } from "../config/own-secrets.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../runtime/clock.ts";
import { decodePercent } from "../runtime/percent.ts";
import { ConfigError, configOf, EXIT, newCommand, type Io } from "./io.ts";
import { adviceFor } from "./partner-advice.ts";
import { webhookUrl } from "./option-values.ts";

type Flags = { url: URL; event: string[]; dryRun?: boolean };

const DEFAULT_EVENT = "TRANSACTION_STATUS_UPDATED";

const pathTokens = (config: Config): readonly string[] => {
  const { auth, secret } = config.webhook;
  if (auth !== "path-token") return [];
  if (secret === undefined)
    throw new ConfigError("WEBHOOK_SECRET is not set, which WEBHOOK_AUTH=path-token needs.");
  return webhookSecrets(config)();
};

/** Appends the first token to the path, unless the path ends with one of them already. */
export const withPathToken = (url: URL, tokens: readonly string[]): URL => {
  const last = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  const whole = new URL(url);
  if (tokens[0] !== undefined && !tokens.includes(decodePercent(last) ?? last))
    whole.pathname = `${url.pathname.replace(/\/+$/, "")}/${encodeURIComponent(tokens[0])}`;
  return whole;
};

const afterAnswer = (status: number): string =>
  status === 408 || status >= 500
    ? "it may have subscribed all the same: ask the partner before you run it again"
    : `nothing was subscribed: ${adviceFor(status, "see the answer, and correct --url or --event")}`;

const subscribe = async (io: Io, { url: requestedUrl, event, dryRun }: Flags): Promise<void> => {
  const config = configOf(io, "partner");
  const url = withPathToken(requestedUrl, pathTokens(config));
  const events = event.length > 0 ? event : [DEFAULT_EVENT];
  const partner = openPartner(config, { clock: systemClock });
  const shown = new URL(url);
  if (shown.password !== "") shown.password = "***";
  const requestText = partner.mask(JSON.stringify({ url: shown.href, events }));
  if (config.webhook.auth === undefined)
    io.err("Warning: WEBHOOK_AUTH is not set, so the address is sent as it is, without a token.");
  io.out(`POST ${config.partner.baseUrl ?? ""}/corporate/v1/webhook/subscribe ${requestText}`);
  if (dryRun === true) return;

  const { connectTimeoutMs, callTimeoutMs } = config.partner;
  const withinMs = connectTimeoutMs + callTimeoutMs;
  const options = { signal: io.stopped, withinMs, mayCall: () => true };
  const outcome = await partner.subscribe({ url: url.href, events }, options);
  await partner.close();
  if (outcome.kind === "answered") {
    const { httpStatus, body } = outcome.answer;
    io.out(`HTTP ${httpStatus}`);
    if (body) io.out(body);
    if (httpStatus >= 200 && httpStatus < 300) return;
    io.err(`The partner answered ${httpStatus}; ${afterAnswer(httpStatus)}.`);
  } else
    io.err(
      outcome.kind === "notSent"
        ? `Nothing was sent (${outcome.reason}): see that the partner can be reached, and run it again.`
        : `No answer came (${outcome.reason}), and the partner may have received it: ask before you run it again.`,
    );
  io.exit(EXIT.failed);
};

export const subscribeCommand = (io: Io): Command =>
  newCommand(
    "subscribe",
    "Have the partner send its notifications to an address.",
    "subscribe --url https://fx.example.com/webhooks --dry-run",
  )
    .requiredOption("--url <url>", "the address; the path-token is appended if it is missing", webhookUrl)
    .addOption(
      new Option("--event <name>", "what to be notified of; repeatable")
        .argParser((text, earlier: string[]) => [...earlier, text])
        .default([], DEFAULT_EVENT),
    )
    .option("--dry-run", "say what would be sent, and send nothing")
    .action((flags: Flags) => subscribe(io, flags));
