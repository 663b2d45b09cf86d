import { webhookUrl } from "./environment.mjs";

/**
 * What a newcomer may try next, and where everything listens.
 * @param {import("./environment.mjs").Settings} settings
 * @param {{ operator: import("./environment.mjs").Operator, inDoubt: string, cli: string, logFolder: string, paint: import("../terminal/steps.mjs").Steps["paint"] }} where paths as the reader would type them
 */
export function nextSteps(settings, { operator, inDoubt, cli, logFolder, paint }) {
  const notification = '{"transactionId":"tx-1","status":"PAYMENT_ISSUE","createdAt":"2026-01-31T12:00:00Z"}';
  /** @param {string} name @param {string} value */
  const listener = (name, value) => `    ${name.padEnd(18)} ${value}`;
  /** @param {string} why @param {string} command */
  const idea = (why, command) => `    ${paint("dim", `# ${why}`)}\n    ${command}\n`;
  return [
    "",
    paint("bold", "  Where everything listens"),
    listener("Kafka", settings.KAFKA_BROKERS),
    listener("schema registry", settings.SCHEMA_REGISTRY_URL),
    listener("partner (sandbox)", settings.PARTNER_BASE_URL),
    listener("bridge, webhooks", webhookUrl(settings)),
    listener("bridge, management", `http://127.0.0.1:${settings.MANAGEMENT_PORT}/readyz and /metrics`),
    listener(
      "console",
      `http://127.0.0.1:${settings.CONSOLE_PORT} (user ${operator.name}, password ${operator.password})`,
    ),
    listener("logs", `${logFolder}/`),
    "",
    paint("bold", "  What to try first"),
    `    Open the console: ${inDoubt} is in doubt. Its page says first that an event names its quote:`,
    "    the partner executed it. Choose “It was executed” with that transaction. The doubt is young, so",
    "    tick “Resolve it now all the same”: what was executed can be said at once. For “not executed” wait,",
    "    and ask the partner: an accept that nobody knows of may still run later, and buy twice.",
    "",
    paint("bold", "  What to try next, in a second terminal (what happens shows up here)"),
    idea(
      "money comes in",
      `${cli} send create-quote --direction INBOUND --purpose COMEX --amount 250.00 --base BRL --quoted EUR --wait`,
    ),
    idea(
      "accept the quote of that result",
      `${cli} send accept-quote --counterparty-id customer-1 --wait --quote-id …`,
    ),
    idea("be the partner, and notify", `curl -d '${notification}' ${webhookUrl(settings)}`),
    idea("read the events from the first one on", `${cli} watch events --from-beginning`),
    "  Ctrl-C ends everything.",
  ].join("\n");
}
