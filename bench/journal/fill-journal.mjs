import { Kafka, logLevel } from "kafkajs";
import { newPartitioner } from "../../src/kafka/produce/partitioner.ts";
import { preparedMessage, sendPreparedMessages } from "../../src/kafka/kafkajs-fixes/prepared-batches.ts";
import { recordBatch } from "../../src/kafka/produce/record-batch.ts";
import { entriesOf } from "./entries.mjs";

/** @typedef {import("../../src/kafka/record.ts").Outgoing} Outgoing */

const PROGRESS_EVERY = 1_000_000;

/**
 * Fills the journal with the entries of so many accepts, in the order of a busy bridge: the claims of some accepts, then the conclusions
 * of those before them.
 * @param {import("../environment.mjs").Environment} environment
 * @param {{ topics: { journal: string, results: string }, partitions: number, accepts: number, perBatch: number, progress: (text: string) => void }} options
 *   `perBatch`: about so many records in a record batch; a bridge with little to do writes one at a time
 */
export async function fillJournal({ brokers, registryUrl }, options) {
  const { topics, partitions, accepts, perBatch, progress } = options;
  const acceptOf = await entriesOf(registryUrl, topics);
  sendPreparedMessages();
  const kafka = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.ERROR });
  const createPartitioner =
    () =>
    (/** @type {import("kafkajs").PartitionerArgs} */ { message }) =>
      message.partition ?? 0;
  const producer = kafka.producer({ createPartitioner });
  await producer.connect();
  const partitionOf = newPartitioner();

  /** @param {readonly Outgoing[]} records */
  const send = async (records) => {
    /** @type {Outgoing[][]} */
    const byPartition = Array.from({ length: partitions }, () => []);
    for (const record of records) byPartition[partitionOf(record.key, partitions)]?.push(record);
    const messages = byPartition.flatMap((some, partition) =>
      some.length === 0 ? [] : [preparedMessage(partition, recordBatch(some, Date.now()))],
    );
    await producer.send({ topic: topics.journal, acks: 1, messages });
  };

  const atOnce = Math.max(1, Math.round((perBatch * partitions) / 2));
  /** @type {Outgoing[]} */
  let ends = [];
  for (let written = 0; written < accepts; written += atOnce) {
    const now = Date.now();
    const begun = Array.from({ length: Math.min(atOnce, accepts - written) }, (_, i) =>
      acceptOf(written + i, now),
    );
    const records = [...begun.map(({ claimed }) => claimed), ...ends];
    ends = begun.flatMap((accept) => accept.ends);
    await send(records);
    if (Math.floor(written / PROGRESS_EVERY) < Math.floor((written + atOnce) / PROGRESS_EVERY))
      progress(`${Math.min(written + atOnce, accepts)} accepts`);
  }
  if (ends.length > 0) await send(ends);
  await producer.disconnect();
}
