import { performance } from "node:perf_hooks";
import { Kafka, logLevel, Partitioners } from "kafkajs";

/** @typedef {{ commandId: string, quoteId: string, key: string | null }} Accept */
/** @typedef {{ at: number, outcome: string, times: number }} Answer `at`: monotonic ms at which it was first seen */

const SEND_AT_ONCE = 500;

/** @param {Accept} accept */
const messageOf = ({ commandId, quoteId, key }) => ({
  key,
  value: JSON.stringify({
    commandId,
    issuedAt: Date.now(),
    request: { type: "AcceptQuote", quoteId, counterpartyId: "cp-1" },
  }),
});

/**
 * Writes commands and sees results, both with plain kafkajs.
 * @param {string} brokers
 * @param {{ commands: string, results: string }} topics
 */
export async function openTraffic(brokers, { commands, results }) {
  const kafka = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.ERROR });
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const consumer = kafka.consumer({ groupId: `watch-${results}-${process.pid}`, maxWaitTimeInMs: 500 });
  /** @type {Map<string, Answer>} */
  const answers = new Map();
  /** @type {Map<string, () => void>} */
  const wakes = new Map();

  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topic: results, fromBeginning: true });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      const at = performance.now();
      for (const { key, headers } of batch.messages) {
        const commandId = key?.toString() ?? "";
        const before = answers.get(commandId);
        if (before) before.times += 1;
        else answers.set(commandId, { at, outcome: String(headers?.outcome), times: 1 });
        wakes.get(commandId)?.();
      }
    },
  });
  await joined;

  return {
    answers,
    /** @param {Accept[]} accepts */
    send: async (accepts) => {
      for (let from = 0; from < accepts.length; from += SEND_AT_ONCE) {
        const messages = accepts.slice(from, from + SEND_AT_ONCE).map(messageOf);
        await producer.send({ topic: commands, acks: -1, messages });
      }
    },
    /** Resolves when a command's result is seen. @param {string} commandId @returns {Promise<void>} */
    seen: (commandId) =>
      new Promise((resolve) => {
        wakes.set(commandId, () => {
          wakes.delete(commandId);
          resolve();
        });
      }),
    close: async () => {
      await Promise.all([producer.disconnect(), consumer.disconnect()]);
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof openTraffic>>} Traffic */
