import { createRequire } from "node:module";
import type { Message } from "kafkajs";
import { recordBatch } from "./record-batch.ts";
import type { Outgoing } from "../record.ts";

export type PreparedMessage = Message & { partition: number; value: Buffer; prepared: true };

/**
 * All records that one send writes to one partition, encoded already. To kafkajs it is a single message.
 * @param timestampMs create time of each of the records
 */
export const preparedMessage = (
  partition: number,
  records: readonly Outgoing[],
  timestampMs: number,
): PreparedMessage => ({
  partition,
  key: null,
  value: recordBatch(records, timestampMs),
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

const require = createRequire(import.meta.url);
/** Versions 4 to 7 are this one with another number. */
const BUILDER = "kafkajs/src/protocol/requests/produce/v3/request.js";

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

/**
 * Teaches kafkajs to send what {@link preparedMessage} makes; all else it sends as ever. It has no door for this, so one of its modules is
 * replaced: the one that builds produce requests, which it loads when it first needs it. That takes the exact version that package.json
 * pins, and a test that reads back what was sent.
 */
export const sendPreparedMessages = (): void => {
  if (done) return;
  const original = require(BUILDER) as BuildRequest;
  const NewEncoder = require("kafkajs/src/protocol/encoder.js") as new () => Encoder;
  const loaded = require.cache[require.resolve(BUILDER)];
  if (!loaded) throw new Error("kafkajs keeps its modules somewhere else than it did");
  const build: BuildRequest = (args) => {
    const request = original(args);
    const encode = (): Promise<Encoder> => {
      const encoded = encodePrepared(new NewEncoder(), args);
      return encoded ? Promise.resolve(encoded) : request.encode();
    };
    return { ...request, encode };
  };
  loaded.exports = build;
  done = true;
};
