// The baseline for the bridge: the least that turns a webhook into a durable record. node:http, avsc, and one lane per partition leader;
// no verification, no deduplication, no metrics, no log, no fault handling. For measurements only.
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setImmediate } from "node:timers";
import avro from "avsc";
import { Kafka, logLevel, Partitioners } from "kafkajs";

/** @typedef {{ brokers: string, topic: string, port: number, schemaFile: string }} BaselineOptions */
/** @typedef {{ key: string, value: Buffer, partition: number, done: (failed: unknown) => void }} Waiting */

const ACKS_OF_ALL = -1;
const WIRE_HEADER = Buffer.from([0, 0, 0, 0, 1]);

/** @type {BaselineOptions} */
const { brokers, topic, port, schemaFile } = JSON.parse(process.argv[2] ?? "{}");

const type = avro.Type.forSchema(JSON.parse(await readFile(schemaFile, "utf8")));
const kafka = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.ERROR });
const admin = kafka.admin();
await admin.connect();
const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
await admin.disconnect();
const partitionMetadata = topics[0]?.partitions ?? [];
const leaders = new Map(partitionMetadata.map(({ partitionId, leader }) => [partitionId, leader]));
const partitioner = Partitioners.DefaultPartitioner();
const producer = kafka.producer({
  createPartitioner: Partitioners.DefaultPartitioner,
  retry: { retries: 0 },
});
await producer.connect();

/** @type {Map<number, { waiting: Waiting[], isSending: boolean }>} */
const lanes = new Map([...leaders.values()].map((leader) => [leader, { waiting: [], isSending: false }]));

/** @param {{ waiting: Waiting[], isSending: boolean }} lane */
async function drain(lane) {
  while (lane.waiting.length > 0) {
    const batch = lane.waiting;
    lane.waiting = [];
    const failed = await producer.send({ topic, acks: ACKS_OF_ALL, messages: batch }).then(
      () => null,
      (/** @type {unknown} */ error) => error,
    );
    for (const { done } of batch) done(failed);
  }
  lane.isSending = false;
}

/** @param {string} payload */
function eventOf(payload) {
  const { transactionId, status, createdAt } = JSON.parse(payload);
  return {
    eventId: hash("sha256", `${transactionId}\n${status}\n${createdAt}`).slice(0, 32),
    transactionId,
    status,
    stage: "UNKNOWN",
    direction: "UNKNOWN",
    createdAt,
    occurredAt: Date.parse(createdAt),
    receivedAt: Date.now(),
    source: "WEBHOOK",
    outOfOrder: false,
    payload,
  };
}

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (/** @type {Buffer} */ chunk) => chunks.push(chunk));
  request.on("end", () => {
    const event = eventOf(Buffer.concat(chunks).toString("utf8"));
    const key = event.transactionId;
    const value = Buffer.concat([WIRE_HEADER, type.toBuffer(event)]);
    const partition = partitioner({ topic, partitionMetadata, message: { key, value } });
    const lane = lanes.get(leaders.get(partition) ?? -1);
    if (lane === undefined) throw new Error(`partition ${partition} has no leader`);
    lane.waiting.push({
      key,
      value,
      partition,
      done: (failed) => {
        const body = failed === null ? `{"eventId":"${event.eventId}"}` : "";
        response.writeHead(failed === null ? 200 : 503, {
          "content-type": "application/json",
          "content-length": body.length,
        });
        response.end(body);
      },
    });
    if (lane.isSending) return;
    lane.isSending = true;
    setImmediate(() => void drain(lane));
  });
});
server.listen(port, "127.0.0.1");
