import { randomUUID } from "node:crypto";
import { Failure } from "../terminal/failure.mjs";
import { createRows } from "./rows.mjs";

/** @typedef {import("./rows.mjs").KafkaRecord} KafkaRecord */

const SCENARIO_MS = 60_000;
/** The status whose webhook is lost. */
export const LOST = "SETTLEMENT_IN_PROGRESS";
const QUOTE = "--direction OUTBOUND --purpose COMEX --amount 1000.00 --base USD --quoted BRL".split(" ");

/**
 * Runs `send … --wait` and returns the result it prints.
 * @param {import("./system.mjs").System} system
 * @param {string[]} args
 * @param {string} commandId
 * @returns {Promise<Record<string, unknown>>}
 */
async function sendAndWait(system, args, commandId) {
  const output = await system.send([...args, "--command-id", commandId, "--wait", "--timeout", "30s"]);
  const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Failure(`\`send ${args[0]} --wait\` printed no result, but: ${output}`, { cause: error });
  }
}

/**
 * Runs the demo: commands create and accept a quote, and its transaction goes through all statuses. One webhook is lost, and its
 * event comes from the partner's log. Then the answer to another accept is lost, which leaves its command in doubt, until an event
 * names its quote. Prints the records of the topics as they arrive, also what others send afterwards.
 * @param {{ system: import("./system.mjs").System, steps: import("../terminal/steps.mjs").Steps }} options
 * @returns {Promise<{ events: number, results: number, tookMs: number, inDoubt: string, transactionId: string }>} `inDoubt`: the
 *   commandId, `transactionId`: what its accept became; rejects when something does not arrive in time
 */
export async function runScenario({ system, steps }) {
  const startedAt = Date.now();
  const rows = createRows({ paint: steps.paint, startedAt });
  const seen = { events: 0, results: 0 };
  /** Statuses and ids of commands whose rows are printed. @type {Set<unknown>} */
  const shown = new Set();
  /** @type {string[]} */
  let awaited = [];
  let arrived = () => {};
  const missing = () => awaited.filter((what) => !shown.has(what));
  const show = (/** @type {unknown} */ what) => {
    shown.add(what);
    if (missing().length === 0) arrived();
  };
  /** @type {(...whats: string[]) => Promise<void>} */
  const untilShown = (...whats) =>
    new Promise((resolve) => {
      awaited = whats;
      arrived = resolve;
      if (missing().length === 0) resolve();
    });

  steps.line(rows.head());
  await Promise.all([
    system.watch("results", (line) => {
      /** @type {KafkaRecord} */
      const record = JSON.parse(line);
      seen.results++;
      steps.line(rows.result(record));
      show(record.value["commandId"]);
    }),
    system.watch("events", (line) => {
      /** @type {KafkaRecord} */
      const record = JSON.parse(line);
      seen.events++;
      steps.line(rows.event(record));
      show(record.value["status"]);
    }),
  ]);

  const newCommandId = () => `demo-${randomUUID()}`;
  const createQuote = async () => {
    const commandId = newCommandId();
    steps.line(rows.command("create-quote", "OUTBOUND COMEX: buy 1000.00 USD with BRL"));
    const { quoteId } = await sendAndWait(system, ["create-quote", ...QUOTE], commandId);
    await untilShown(commandId);
    if (typeof quoteId !== "string") throw new Failure("the result of create-quote names no quote");
    return quoteId;
  };
  const accept = (/** @type {string} */ quoteId) => [
    ...["accept-quote", "--quote-id", quoteId, "--counterparty-id", "supplier-1"],
  ];
  const [accepted, inDoubt] = [newCommandId(), newCommandId()];
  const scenario = async () => {
    const quoteId = await createQuote();
    await system.loseWebhook(LOST);
    steps.line(rows.lost("webhook", LOST));
    steps.line(rows.command("accept-quote", `quote ${quoteId}`));
    await sendAndWait(system, accept(quoteId), accepted);
    await untilShown(accepted, "TRANSACTION_COMPLETED", LOST);

    const unanswered = await createQuote();
    await system.loseAnswer();
    steps.line(rows.lost("answer", "of the next accept"));
    steps.line(rows.command("accept-quote", `quote ${unanswered}`));
    await system.send([...accept(unanswered), "--command-id", inDoubt]);
    await untilShown(inDoubt);
    for (;;) {
      const transactionId = await system.evidenceOf(inDoubt);
      if (transactionId !== null) return transactionId;
    }
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const bound = /** @type {Promise<never>} */ (
    new Promise((_, reject) => {
      const late = new Failure(
        `The demo did not end within ${SCENARIO_MS / 1000} s: no ${missing().join(" and no ")} arrived ` +
          `(${seen.results} results and ${seen.events} events did).`,
      );
      timer = setTimeout(() => reject(late), SCENARIO_MS);
    })
  );
  try {
    const transactionId = await Promise.race([scenario(), bound]);
    return { ...seen, inDoubt, transactionId, tookMs: Date.now() - startedAt };
  } finally {
    clearTimeout(timer);
  }
}
