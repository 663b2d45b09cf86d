import { Command, InvalidArgumentError, Option } from "commander";
import { openPartner } from "../services/partner.ts";
import { webhookSecrets } from "../config/webhook-secret.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../runtime/clock.ts";
import { examples } from "./help.ts";
import { ConfigError, configOf, EXIT, type ExitCode, type Io } from "./io.ts";
import { webhookUrl } from "./option-values.ts";
import { shownUrl, withPathToken } from "./subscription-url.ts";

type Flags = { url: URL; event: string[]; dryRun?: boolean };

const DEFAULT_EVENT = "TRANSACTION_STATUS_UPDATED";

/** The secrets that the webhook's path may end with; none unless WEBHOOK_AUTH is path-token. */
const pathTokens = (config: Config): readonly string[] => {
  const { auth, secret } = config.webhook;
  if (auth !== "path-token") return [];
  if (secret === undefined)
    throw new ConfigError("WEBHOOK_SECRET is not set, which WEBHOOK_AUTH=path-token needs.");
  return webhookSecrets(config)();
};

/** What to do about an answer other than 2xx. */
const adviceFor = (status: number): string => {
  if (status === 401 || status === 403)
    return "nothing was subscribed: see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN, and run it again";
  if (status === 404 || status === 405 || (status >= 300 && status < 400))
    return "nothing was subscribed: see PARTNER_BASE_URL, and run it again";
  if (status === 408 || status >= 500)
    return "it may have subscribed all the same: ask the partner before you run it again";
  return status === 429
    ? "nothing was subscribed: run it again later"
    : "nothing was subscribed: see the answer, correct --url or --event, and run it again";
};

const subscribe = async (io: Io, { url: given, event, dryRun }: Flags): Promise<ExitCode> => {
  const config = configOf(io, "partner");
  const [first, ...others] = pathTokens(config);
  const url = first === undefined ? given : withPathToken(given, [first, ...others]);
  const events = event.length > 0 ? event : [DEFAULT_EVENT];
  const partner = openPartner(config, { clock: systemClock });
  const shown = partner.mask(JSON.stringify({ url: shownUrl(url, first !== undefined), events }));
  if (url.protocol === "http:")
    io.err(
      "Warning: over http anybody on the way reads the notifications, and what proves that they are the partner's.",
    );
  if (config.webhook.auth === undefined)
    io.err("Warning: WEBHOOK_AUTH is not set, so the address is sent as it is, without a token.");
  io.out(`POST ${config.partner.baseUrl ?? ""}/corporate/v1/webhook/subscribe ${shown}`);
  if (dryRun === true) return EXIT.done;

  const { connectTimeoutMs, callTimeoutMs } = config.partner;
  const withinMs = connectTimeoutMs + callTimeoutMs;
  const options = { signal: io.stopped, withinMs, mayCall: () => true };
  const outcome = await partner.subscribe({ url: url.href, events }, options);
  await partner.close();
  switch (outcome.kind) {
    case "notSent":
      io.err(`Nothing was sent (${outcome.reason}): see that the partner can be reached, and run it again.`);
      return EXIT.failed;
    case "unknown":
      io.err(
        `No answer came (${outcome.reason}), and the partner may have received the subscription: ask the partner before you run it again.`,
      );
      return EXIT.failed;
    case "answered": {
      const { httpStatus, body } = outcome.answer;
      io.out(`HTTP ${httpStatus}`);
      if (body !== null && body !== "") io.out(body);
      if (httpStatus >= 200 && httpStatus < 300) return EXIT.done;
      io.err(`The partner answered ${httpStatus}; ${adviceFor(httpStatus)}.`);
      return EXIT.failed;
    }
  }
};

const collected = (text: string, earlier: string[]): string[] => {
  if (text.trim() === "") throw new InvalidArgumentError("It must name an event.");
  return [...earlier, text];
};

export const subscribeCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("subscribe")
    .description("Have the partner send its notifications to an address.")
    .addOption(
      new Option("--url <url>", "the address; the path-token is appended if it is missing")
        .argParser(webhookUrl)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--event <name>", "what to be notified of; repeatable")
        .argParser(collected)
        .default([], DEFAULT_EVENT),
    )
    .option("--dry-run", "say what would be sent, and send nothing")
    .addHelpText("after", examples("subscribe --url https://fx.example.com/webhooks --dry-run"))
    .action(async (flags: Flags) => exit(await subscribe(io, flags)));
