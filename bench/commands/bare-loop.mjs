// The baseline for the bridge: consume, call, produce. No journal, no order within keys, no commits, no retries: after a crash it executes
// everything again. For measurements only.
import { Kafka, logLevel, Partitioners } from "kafkajs";
import { Pool } from "undici";

/** @typedef {{ brokers: string, partnerUrl: string, inFlight: number, reuse: boolean, commands: string, results: string, groupId: string }} BareOptions */

/** @type {BareOptions} */
const options = JSON.parse(process.argv[2] ?? "{}");
const kafka = new Kafka({ brokers: options.brokers.split(","), logLevel: logLevel.ERROR });
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
const consumer = kafka.consumer({ groupId: options.groupId, maxWaitTimeInMs: 250 });
const pool = new Pool(options.partnerUrl, { connections: options.inFlight, pipelining: 1 });
const headers = {
  authorization: "Bearer t",
  "x-token": "t",
  "content-type": "application/json",
  "user-agent": "bare-fx",
};

/** @type {Buffer[]} */
const waiting = [];
let head = 0;
let running = 0;

/** @param {Buffer} value */
async function execute(value) {
  const { commandId, request } = JSON.parse(value.toString("utf8"));
  const { quoteId, counterpartyId } = request;
  const { body } = await pool.request({
    method: "PUT",
    path: `/corporate/v1/quote/${encodeURIComponent(quoteId)}/accept`,
    headers,
    // Closes the connection after the answer: the pool opens another one for the next call.
    reset: !options.reuse,
    body: JSON.stringify({ counterpartyId }),
  });
  const response = await body.text();
  await producer.send({
    topic: options.results,
    acks: -1,
    messages: [{ key: commandId, value: response, headers: { outcome: "SUCCEEDED" } }],
  });
}

async function work() {
  running += 1;
  for (let value = waiting[head]; value !== undefined; value = waiting[head]) {
    head += 1;
    await execute(value);
  }
  running -= 1;
}

await Promise.all([producer.connect(), consumer.connect()]);
await consumer.subscribe({ topic: options.commands, fromBeginning: true });
await consumer.run({
  autoCommit: false,
  eachBatch: async ({ batch }) => {
    for (const { value } of batch.messages) if (value) waiting.push(value);
    while (running < options.inFlight && head + running < waiting.length) void work();
  },
});
