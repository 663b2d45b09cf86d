import { createRequire } from "node:module";
import { expect, test } from "vitest";
import {
  preparedMessage,
  sendPreparedMessages,
} from "../../../../src/kafka/kafkajs-fixes/prepared-batches.ts";
import { recordBatch } from "../../../../src/kafka/produce/record-batch.ts";

const NOW_MS = 1_790_000_000_123;
const require = createRequire(import.meta.url);
sendPreparedMessages();

type Built = { apiName: string; apiVersion: number; encode: () => Promise<{ buffer: Buffer }> };
/** As kafkajs builds the request for a current broker. */
const build = require("kafkajs/src/protocol/requests/produce/v7/request.js") as (args: object) => Built;

const record = (text: string) => ({ key: null, value: Buffer.from(text), headers: [] });
const request = (partitions: object[]): Built =>
  build({ acks: -1, timeout: 30_000, topicData: [{ topic: "t", partitions }] });

test("prepared messages are sent unchanged, one per partition", async () => {
  const batch = recordBatch([record("a"), record("b")], NOW_MS);
  const built = request(
    [0, 5].map((partition) => ({
      partition,
      messages: [preparedMessage(partition, batch)],
    })),
  );
  expect(built).toMatchObject({ apiName: "Produce", apiVersion: 7 });
  const int = (value: number, bytes = 4): Buffer => {
    const buffer = Buffer.alloc(bytes);
    buffer.writeIntBE(value, 0, bytes);
    return buffer;
  };
  const head = [int(-1, 2), int(-1, 2), int(30_000), int(1), int(1, 2), Buffer.from("t"), int(2)];
  const parts = [0, 5].flatMap((partition) => [int(partition), int(batch.length), batch]);
  expect((await built.encode()).buffer).toEqual(Buffer.concat([...head, ...parts]));
});
