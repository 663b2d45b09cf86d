import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import avro from "avsc";
import { Kafka, logLevel, Partitioners, type IHeaders } from "kafkajs";
import { eventually } from "./eventually.ts";

// A client of the tests' own: nothing here comes from the bridge's sources.

export type Read = {
  topic: string;
  partition: number;
  offset: number;
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
};

const clientOf = (brokers: string): Kafka =>
  new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING, retry: { retries: 10 } });

const textsOf = (headers: IHeaders | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));

/** Reads topics from their beginning, and goes on. */
export const follow = async (brokers: string, topics: readonly string[]) => {
  const consumer = clientOf(brokers).consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 });
  const records: Read[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, partition, message: { offset, key, value, headers } }) => {
      const place = { topic, partition, offset: Number(offset) };
      records.push({ ...place, key: key?.toString() ?? null, value, headers: textsOf(headers) });
      return Promise.resolve();
    },
  });
  const of = (topic: string): Read[] => records.filter((record) => record.topic === topic);
  return {
    records,
    of,
    /** Waits for so many records of a topic that a condition holds for. */
    until: async (topic: string, condition: (record: Read) => boolean, count = 1): Promise<Read[]> => {
      const found = () => of(topic).filter(condition);
      await eventually(() => found().length >= count, `${count} such records in ${topic}`, 30_000);
      return found();
    },
    stop: () => consumer.disconnect(),
  };
};

export type Following = Awaited<ReturnType<typeof follow>>;

export type ToWrite = { key: string | null; value: string | Buffer | null; headers?: Record<string, string> };

/** Writes records, and gives their places. */
export const produce = async (brokers: string, topic: string, records: readonly ToWrite[]) => {
  const producer = clientOf(brokers).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  try {
    return await producer.send({
      topic,
      messages: records.map(({ key, value, headers = {} }) => ({ key, value, headers })),
    });
  } finally {
    await producer.disconnect();
  }
};

/** The offsets that a group has committed, those that it has not left out. */
export const committed = async (brokers: string, groupId: string, topic: string): Promise<number[]> => {
  const admin = clientOf(brokers).admin();
  await admin.connect();
  try {
    const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
    return (found?.partitions ?? []).map(({ offset }) => Number(offset)).filter((offset) => offset >= 0);
  } finally {
    await admin.disconnect();
  }
};

type RecordName = "transaction-status-updated" | "command" | "command-result";

const typeOf = (record: RecordName): avro.Type =>
  avro.Type.forSchema(
    JSON.parse(readFileSync(new URL(`../../schemas/${record}.avsc`, import.meta.url), "utf8")) as avro.Schema,
  );

/** What Avro in Confluent's wire format says, read with the schema file itself. Throws when a byte is too much or missing. */
export const decode = (record: RecordName, value: Buffer | null): Record<string, unknown> => {
  if (value?.[0] !== 0) throw new Error("not in Confluent's wire format");
  return { ...(typeOf(record).fromBuffer(value.subarray(5)) as Record<string, unknown>) };
};

export const schemaIdOf = (value: Buffer | null): number => value?.readInt32BE(1) ?? -1;

/** Avro in Confluent's wire format. */
export const encode = (record: RecordName, schemaId: number, value: unknown): Buffer => {
  const head = Buffer.alloc(5);
  head.writeInt32BE(schemaId, 1);
  return Buffer.concat([head, typeOf(record).toBuffer(value)]);
};

/** The id of the subject's newest schema. */
export const latestSchemaId = async (registryUrl: string, topic: string): Promise<number> => {
  const response = await fetch(`${registryUrl}/subjects/${topic}-value/versions/latest`);
  if (!response.ok) throw new Error(`the registry answers ${response.status}`);
  return ((await response.json()) as { id: number }).id;
};
