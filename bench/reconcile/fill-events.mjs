import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import avro from "avsc";
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { PARTNER_HEADERS } from "../bridge.mjs";
import { TOPICS } from "./programs.mjs";

/** @typedef {{ transactionId: string, status: string, createdAt: string }} Notification */

const AT_ONCE = 2_000;
const WIRE_HEADER_BYTES = 5;
const EVENT_TYPE = "TRANSACTION_STATUS_UPDATED";
const DAY = /^\d{4}-\d{2}-\d{2}/;

/** The day of an instant. @param {number} at */
const dayOf = (at) => DAY.exec(new Date(at).toISOString())?.[0] ?? "";

/**
 * Reads the sandbox's log.
 * @param {import("./programs.mjs").Sandbox} sandbox
 * @param {{ from: number, to: number }} period
 * @returns {Promise<Notification[]>}
 */
async function notificationsOf({ url }, { from, to }) {
  const [startDate, endtDate] = [dayOf(from - 86_400_000), dayOf(to + 86_400_000)];
  const answer = await fetch(
    `${url}/corporate/v1/webhook/logs?startDate=${startDate}&endtDate=${endtDate}&eventType=${EVENT_TYPE}`,
    { headers: PARTNER_HEADERS },
  );
  if (!answer.ok) throw new Error(`the log answered ${answer.status}`);
  return /** @type {Notification[]} */ (await answer.json());
}

/** @param {string} projectFolder @param {string} registryUrl */
async function eventEncoder(projectFolder, registryUrl) {
  const subject = `${TOPICS.events}-value`;
  const answer = await fetch(`${registryUrl}/subjects/${subject}/versions/latest`);
  const { id } = /** @type {{ id: number }} */ (await answer.json());
  const head = Buffer.alloc(WIRE_HEADER_BYTES);
  head.writeInt32BE(id, 1);
  const schema = await readFile(join(projectFolder, "schemas", "transaction-status-updated.avsc"), "utf8");
  const type = avro.Type.forSchema(/** @type {import("avsc").Schema} */ (JSON.parse(schema)));
  return (/** @type {Notification} */ { transactionId, status, createdAt }) => {
    const eventId = createHash("sha256")
      .update(`${transactionId}\n${status}\n${createdAt}`)
      .digest("hex")
      .slice(0, 32);
    const value = type.toBuffer({
      ...{ eventId, transactionId, status, createdAt },
      ...{ stage: "UNKNOWN", direction: "UNKNOWN", source: "WEBHOOK", outOfOrder: false },
      occurredAt: Date.parse(createdAt),
      receivedAt: Date.parse(createdAt) + 1_000,
      payload: JSON.stringify({ eventType: EVENT_TYPE, transactionId, status, createdAt }),
    });
    const headers = { ce_specversion: "1.0", ce_id: eventId, ce_type: "transaction.status.updated" };
    return {
      key: transactionId,
      value: Buffer.concat([head, value]),
      headers,
      timestamp: String(Date.parse(createdAt) + 1_000),
    };
  };
}

/**
 * Writes the event of each notification in the log, with the timestamp of that time.
 * @param {import("../environment.mjs").Environment} environment
 * @param {import("./programs.mjs").Sandbox} sandbox
 * @param {{ from: number, to: number }} period
 * @returns {Promise<number>} how many
 */
export async function fillEvents({ projectFolder, brokers, registryUrl }, sandbox, period) {
  const messageOf = await eventEncoder(projectFolder, registryUrl);
  const kafka = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.ERROR });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  let written = 0;
  /** @type {ReturnType<typeof messageOf>[]} */
  let messages = [];
  const flush = async () => {
    await producer.send({ topic: TOPICS.events, acks: -1, messages });
    written += messages.length;
    messages = [];
  };
  for (const notification of await notificationsOf(sandbox, period)) {
    messages.push(messageOf(notification));
    if (messages.length === AT_ONCE) await flush();
  }
  if (messages.length > 0) await flush();
  await producer.disconnect();
  return written;
}
