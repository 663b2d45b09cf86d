import { Partitioners } from "kafkajs";
import { clientOf } from "./kafka.ts";

export type Message = {
  key: string | null;
  value: string | Buffer | null;
  headers?: Record<string, string>;
  /** Counts only where the topic keeps the producer's times. */
  timestamp?: string;
  /** By the key, if it is absent. */
  partition?: number;
};

const MESSAGES_PER_REQUEST = 200;

export const openProducer = async (brokers: string) => {
  const producer = clientOf(brokers).producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  return {
    /** Resolves when all in-sync replicas have all of them. */
    produce: async (topic: string, messages: readonly Message[]): Promise<void> => {
      for (let from = 0; from < messages.length; from += MESSAGES_PER_REQUEST)
        await producer.send({
          topic,
          acks: -1,
          messages: messages.slice(from, from + MESSAGES_PER_REQUEST),
        });
    },
    close: () => producer.disconnect(),
  };
};

/** Produces with a producer of its own; resolves when all is written. */
export const produce = async (
  brokers: string,
  topic: string,
  messages: readonly Message[],
): Promise<void> => {
  const producer = await openProducer(brokers);
  try {
    await producer.produce(topic, messages);
  } finally {
    await producer.close();
  }
};
