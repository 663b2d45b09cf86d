import type { Message } from "kafkajs";
import { moduleOf, replaceModule } from "../replace-module.ts";

export type PreparedMessage = Message & { partition: number; value: Buffer; prepared: true };

/** All records that one send writes to one partition, as a record batch. To kafkajs it is a single message. */
export const preparedMessage = (partition: number, batch: Buffer): PreparedMessage => ({
  partition,
  key: null,
  value: batch,
  prepared: true,
});

/** What kafkajs gives to the builder of a produce request, and what it wants of it: as much as is used here. */
type ProduceArguments = {
  acks: number;
  timeout: number;
  topicData: readonly {
    topic: string;
    partitions: readonly { partition: number; messages: readonly (Message | PreparedMessage)[] }[];
  }[];
};
type BuildRequest = (args: ProduceArguments) => { encode: () => Promise<Encoder> };
/** kafkajs's writer of protocol types. */
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
 * Produce request, version 3: transactional id, acks, timeout, then the record sets by topic and partition. Null when some of it was not
 * prepared.
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

let done = false;

/** Teaches kafkajs to send what {@link preparedMessage} makes; all else it sends as ever. */
export const sendPreparedMessages = (): void => {
  if (done) return;
  const NewEncoder = moduleOf("encoder") as new () => Encoder;
  // Versions 4 to 7 are version 3 with another number.
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
  done = true;
};
