import { randomUUID } from "node:crypto";
import { Failure } from "../terminal/failure.mjs";
import { createRows } from "./rows.mjs";

/** @typedef {import("./rows.mjs").KafkaRecord} KafkaRecord */

const WHOLE_STORY_MS = 60_000;
const IN_DOUBT = "IN_DOUBT";
/** The status whose webhook is lost on the way. */
export const LOST = "SETTLEMENT_IN_PROGRESS";
const QUOTE = [
  "--direction",
  "OUTBOUND",
  "--purpose",
  "COMEX",
  "--amount",
  "1000.00",
  "--base",
  "USD",
  "--quoted",
  "BRL",
];

/**
 * Runs `send … --wait` and returns the result it prints.
 * @param {import("./house.mjs").House} house
 * @param {string[]} args
 * @returns {Promise<Record<string, unknown>>}
 */
async function sendAndWait(house, args) {
  const commandId = `demo-${randomUUID()}`;
  const output = await house.send([...args, "--command-id", commandId, "--wait", "--timeout", "30s"]);
  const json = output.slice(output.indexOf("{"), output.lastIndexOf("}") + 1);
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Failure(`\`send ${args[0]} --wait\` printed no result, but: ${output}`, { cause: error });
  }
}

/**
 * The demo's story: a quote is created and accepted by commands, and the transaction behind it walks to its end. One webhook is lost
 * on the way, and its event comes from the partner's log. Then the answer to another accept is lost, which leaves its command in doubt. What the topics carry is shown as it arrives, also what others send after the story.
 * @param {{ house: import("./house.mjs").House, steps: import("../terminal/steps.mjs").Steps }} options
 * @returns {Promise<{ events: number, results: number, tookMs: number, inDoubt: string }>} `inDoubt`: the commandId; rejects when something does not arrive in time
 */
export async function tellStory({ house, steps }) {
  const startedAt = Date.now();
  const rows = createRows({ paint: steps.paint, startedAt });
  const seen = { events: 0, results: 0 };
  const awaited = new Set(["TRANSACTION_COMPLETED", LOST]);
  let arrived = () => {};
  /** @type {() => Promise<void>} resolves when nothing is awaited any more */
  const arrival = () =>
    new Promise((resolve) => {
      arrived = resolve;
      if (awaited.size === 0) resolve();
    });
  const came = (/** @type {unknown} */ what) => {
    awaited.delete(String(what));
    if (awaited.size === 0) arrived();
  };

  steps.line(rows.head());
  await Promise.all([
    house.watch("results", (line) => {
      /** @type {KafkaRecord} */
      const record = JSON.parse(line);
      seen.results++;
      steps.line(rows.result(record));
      came(record.value["outcome"]);
    }),
    house.watch("events", (line) => {
      /** @type {KafkaRecord} */
      const record = JSON.parse(line);
      seen.events++;
      steps.line(rows.event(record));
      came(record.value["status"]);
    }),
  ]);

  const createQuote = async () => {
    steps.line(rows.command("create-quote", "OUTBOUND COMEX: buy 1000.00 USD with BRL", "fx.commands"));
    const { quoteId } = await sendAndWait(house, ["create-quote", ...QUOTE]);
    if (typeof quoteId !== "string") throw new Failure("the result of create-quote names no quote");
    return quoteId;
  };
  const accept = (/** @type {string} */ quoteId) => [
    ...["accept-quote", "--quote-id", quoteId, "--counterparty-id", "supplier-1"],
  ];
  const inDoubt = `demo-${randomUUID()}`;
  const story = async () => {
    const quoteId = await createQuote();
    await house.loseWebhook(LOST);
    steps.line(rows.lost(LOST));
    steps.line(rows.command("accept-quote", `quote ${quoteId}`, "fx.commands"));
    await sendAndWait(house, accept(quoteId));
    await arrival();

    const unanswered = await createQuote();
    await house.loseAnswer();
    steps.line(rows.lostAnswer());
    steps.line(rows.command("accept-quote", `quote ${unanswered}`, "fx.commands"));
    awaited.add(IN_DOUBT);
    await house.send([...accept(unanswered), "--command-id", inDoubt]);
    await arrival();
  };
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const bound = new Promise((_, reject) => {
    const late = new Failure(
      `The story did not end within ${WHOLE_STORY_MS / 1000} s: no ${[...awaited].join(" and no ")} arrived ` +
        `(${seen.results} results and ${seen.events} events did).`,
    );
    timer = setTimeout(() => reject(late), WHOLE_STORY_MS);
  });
  try {
    await Promise.race([story(), bound]);
  } finally {
    clearTimeout(timer);
  }
  return { ...seen, inDoubt, tookMs: Date.now() - startedAt };
}
