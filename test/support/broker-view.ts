import { askBroker } from "../../dev/cluster/probe.mjs";

/** A partition in one broker's metadata: the ids of the leader and of the in-sync replicas. */
export type PartitionView = { leader: number; inSync: number[] };

const METADATA = 3;
const METADATA_VERSION = 1;

/** Reads the primitive types of Kafka's protocol in sequence. */
const reader = (bytes: Buffer) => {
  let at = 0;
  const advance = (by: number): number => {
    at += by;
    return at - by;
  };
  const int16 = (): number => bytes.readInt16BE(advance(2));
  const int32 = (): number => bytes.readInt32BE(advance(4));
  return {
    int16,
    int32,
    flag: (): boolean => bytes.readInt8(advance(1)) !== 0,
    text: (): string => {
      const length = Math.max(0, int16());
      return bytes.toString("utf8", advance(length), at);
    },
    list: <T>(one: () => T): T[] => Array.from({ length: Math.max(0, int32()) }, one),
  };
};

/** The partitions of a topic by the metadata of one broker; a client library would ask any of them. */
export const topicAsSeenBy = (port: number, topic: string): Promise<PartitionView[]> =>
  askBroker(port, async (ask) => {
    const head = Buffer.alloc(6);
    head.writeInt32BE(1, 0);
    head.writeInt16BE(Buffer.byteLength(topic), 4);
    const { int16, int32, flag, text, list } = reader(
      await ask(METADATA, METADATA_VERSION, Buffer.concat([head, Buffer.from(topic)])),
    );
    // The brokers (id, host, port, rack), and the controller.
    list(() => [int32(), text(), int32(), text()]);
    int32();
    const [found] = list(() => {
      const error = int16();
      text();
      flag();
      const partitions = list(() => {
        int16();
        const [index, leader] = [int32(), int32()];
        list(int32);
        return { index, leader, inSync: list(int32).sort((a, b) => a - b) };
      });
      return { error, partitions };
    });
    if (found?.error !== 0) throw new Error(`a broker answered error ${found?.error} about ${topic}`);
    return found.partitions
      .sort((a, b) => a.index - b.index)
      .map(({ leader, inSync }) => ({ leader, inSync }));
  });

/**
 * The metadata of a topic, when all brokers agree and all are in sync in every partition; rejects otherwise.
 * A broker that was frozen believes that it is still the leader until it learns of the new one, and reports
 * its old end offset. An end offset can be trusted only after that.
 */
export const agreedTopic = async (
  brokers: readonly { id: number; port: number }[],
  topic: string,
): Promise<PartitionView[]> => {
  const views = await Promise.all(brokers.map(({ port }) => topicAsSeenBy(port, topic)));
  const [first = [], ...others] = views.map((view) => JSON.stringify(view));
  if (others.some((other) => other !== first))
    throw new Error(`the brokers differ about ${topic}: ${[first, ...others].join(" / ")}`);
  const [view = []] = views;
  if (view.length === 0 || view.some(({ inSync }) => inSync.length !== brokers.length))
    throw new Error(`not all replicas of ${topic} are in sync: ${JSON.stringify(view)}`);
  return view;
};
