/*
 * kafkajs 2.2.4 encodes a batch four times as slowly as `produce/record-batch.ts`, and takes none that is encoded
 * already. No test shows when that is mended: measure it, by `node bench/webhooks.mjs`.
 */
import type { Message } from "kafkajs";
import { moduleOf, replaceModule } from "./replace-module.ts";

export type PreparedMessage = Message & { partition: number; value: Buffer; prepared: true };

/** An encoded record batch for one partition. kafkajs takes it for a single message. */
export const preparedMessage = (partition: number, batch: Buffer): PreparedMessage => ({
  partition,
  key: null,
  value: batch,
  prepared: true,
});

/** The arguments of kafkajs's builder of produce requests: the part that is used here. */
type ProduceArguments = {
  acks: number;
  timeout: number;
  topicData: readonly {
    topic: string;
    partitions: readonly { partition: number; messages: readonly (Message | PreparedMessage)[] }[];
  }[];
};
type BuildRequest = (args: ProduceArguments) => { encode: () => Promise<Encoder> };
/** kafkajs's encoder of protocol types. */
type Encoder = {
  writeString(text: string | null): Encoder;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeBytes(bytes: Buffer): Encoder;
};

const preparedIn = (messages: readonly (Message | PreparedMessage)[]): Buffer | null => {
  const [message] = messages;
  return messages.length === 1 && message && "prepared" in message ? message.value : null;
};

/**
 * Produce request, version 3: transactional id, acks, timeout, then the record batches by topic and partition. Null
 * when some messages are not prepared ones.
 */
const encodePrepared = (encoder: Encoder, { acks, timeout, topicData }: ProduceArguments): Encoder | null => {
  encoder.writeString(null).writeInt16(acks).writeInt32(timeout).writeInt32(topicData.length);
  for (const { topic, partitions } of topicData) {
    encoder.writeString(topic).writeInt32(partitions.length);
    for (const { partition, messages } of partitions) {
      const batch = preparedIn(messages);
      if (batch === null) return null;
      encoder.writeInt32(partition).writeBytes(batch);
    }
  }
  return encoder;
};

/** Lets kafkajs send prepared messages, see {@link preparedMessage}. It sends all others as before. */
export const sendPreparedMessages = (): void => {
  const NewEncoder = moduleOf("encoder") as new () => Encoder;
  // Versions 4 to 7 have the same layout as version 3.
  replaceModule<BuildRequest>(
    "requests/produce/v3/request",
    ["requests/produce/v4/request", "requests/produce/v5/request"],
    (original) => (args) => {
      const request = original(args);
      const encode = (): Promise<Encoder> => {
        const encoded = encodePrepared(new NewEncoder(), args);
        return encoded ? Promise.resolve(encoded) : request.encode();
      };
      return { ...request, encode };
    },
  );
};
