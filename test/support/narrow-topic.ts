import { randomBytes } from "node:crypto";
import kafkajs from "kafkajs";
import { eventually } from "./eventually.ts";
import { setTopicConfig } from "./kafka.ts";
import { produce, type Message } from "./produce.ts";

const isTooLarge = (error: unknown): boolean =>
  error instanceof kafkajs.KafkaJSProtocolError && error.type === "MESSAGE_TOO_LARGE";

/** Brokers go by a setting a moment after they took it: writes `probes` until they are refused, or taken. */
const setLargest = async (
  brokers: string,
  topic: string,
  bytes: number,
  { probes, untilRefused }: { probes: readonly Message[]; untilRefused: boolean },
): Promise<void> => {
  await setTopicConfig(brokers, topic, { "max.message.bytes": String(bytes) });
  const isRefused = (): Promise<boolean> =>
    produce(brokers, topic, probes).then(
      () => false,
      (error: unknown) => {
        if (!isTooLarge(error)) throw error;
        return true;
      },
    );
  await eventually(
    async () => (await isRefused()) === untilRefused,
    `${topic} to take ${bytes} bytes at most`,
    20_000,
  );
};

/**
 * Resolves when a topic takes no larger batches than this.
 * @param probes too large together; some may be written before. Junk, unless they are given
 */
export const narrowTopic = (
  brokers: string,
  topic: string,
  bytes: number,
  probes: readonly Message[] = [{ key: "too large", value: randomBytes(bytes + 50_000) }],
): Promise<void> => setLargest(brokers, topic, bytes, { probes, untilRefused: true });

/** Resolves when a topic takes batches of this size again, and has taken `probes`, which were too large. */
export const widenTopic = (
  brokers: string,
  topic: string,
  bytes: number,
  probes: readonly Message[],
): Promise<void> => setLargest(brokers, topic, bytes, { probes, untilRefused: false });
