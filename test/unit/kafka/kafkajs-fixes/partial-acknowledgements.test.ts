import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { keepAcknowledgements } from "../../../../src/kafka/kafkajs-fixes/partial-acknowledgements.ts";

keepAcknowledgements();

const require = createRequire(import.meta.url);
type Parse = (response: object) => Promise<unknown>;
const parseOf = (version: number): Parse =>
  (require(`kafkajs/src/protocol/requests/produce/v${version}/response.js`) as { parse: Parse }).parse;
const answering = (...codes: number[]) => ({
  topics: [{ topicName: "t", partitions: codes.map((errorCode, partition) => ({ partition, errorCode })) }],
});

test.each([3, 4, 5, 6, 7])(
  "version %i: an answer is kept where some were written, else thrown",
  async (version) => {
    const parse = parseOf(version);
    for (const codes of [[0], [0, 19], [20, 0], [0, 10, 7], [87, 18, 0]])
      expect(await parse(answering(...codes)), String(codes)).toEqual(answering(...codes));
    for (const [codes, type] of [
      [[10, 10], "MESSAGE_TOO_LARGE"],
      // kafkajs must look up the leaders.
      [[0, 6], "NOT_LEADER_FOR_PARTITION"],
      [[0, 3, 19], "UNKNOWN_TOPIC_OR_PARTITION"],
    ] as const)
      await expect(parse(answering(...codes)), String(codes)).rejects.toMatchObject({ type });
  },
);
