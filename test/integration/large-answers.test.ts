import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { answeredDoubt } from "../support/doubts.ts";
import type { Following, TopicRecord } from "../support/follow-topics.ts";
import { narrowTopic, widenTopic } from "../support/narrow-topic.ts";
import type { Replica } from "../support/replica.ts";
import { openWorld, type World } from "../support/world.ts";
import { listen } from "../support/listen.ts";
import { messageOf } from "../support/accepts.ts";

/** The most that PARTNER_MAX_RESPONSE_BYTES may be. */
const MOST = 524_288;

let world: World;
let bridge: Replica;
let following: Following;
/** What the partner answers, whatever it is asked. */
let answer = Buffer.alloc(0);

beforeAll(async () => {
  const partner = createServer((_, response) => response.writeHead(200).end(answer));
  const address = await listen(partner);
  world = await openWorld({
    settings: {
      FLOWS: "commands",
      PARTNER_BASE_URL: `http://${address}`,
      PARTNER_MAX_RESPONSE_BYTES: String(MOST),
    },
  });
  world.defer(() => {
    partner.close().closeAllConnections();
    return Promise.resolve();
  });
  bridge = await world.startReady();
  following = await world.follow([world.topics.results, world.topics.journal]);
});
afterAll(async () => {
  expect(await bridge.stop()).toBe(0);
  await world.close();
});

const accepted = async (commandId: string): Promise<TopicRecord> => {
  const accept = messageOf({ commandId, quoteId: `q-${commandId}`, key: commandId });
  await world.produce(world.topics.commands, [accept]);
  const [result] = await following.until(world.topics.results, ({ key }) => key === commandId);
  return result as TopicRecord;
};
/** The bytes of the result that the journal holds for a command. */
const concluded = async (commandId: string): Promise<unknown> => {
  const stepOf = ({ value }: TopicRecord): Record<string, { result?: Buffer }> =>
    decode("command-journal-entry", value)["step"] as Record<string, { result?: Buffer }>;
  const entries = await following.until(
    world.topics.journal,
    (record) => record.key === `q-${commandId}` && "cambio.bridge.v1.Concluded" in stepOf(record),
  );
  return stepOf(entries[0] as TopicRecord)["cambio.bridge.v1.Concluded"]?.result;
};
const isSame = async (commandId: string, { value }: TopicRecord): Promise<boolean> =>
  Buffer.from((await concluded(commandId)) as Buffer).equals(value ?? Buffer.alloc(0));

test("what the journal does not take is concluded without the text of the answer", async () => {
  const { brokers, topics } = world;
  answer = Buffer.from(JSON.stringify(randomBytes(MOST / 2 - 1).toString("hex")));
  // No junk, which would halt the bridge: it reads the journal.
  const probes = await answeredDoubt(world, "probe", "q-probe", "x".repeat(150_000));
  await narrowTopic(brokers, topics.journal, 100_000, probes);
  const record = await accepted("narrow-journal");
  expect(decode("command-result", record.value)).toMatchObject({
    outcome: "SUCCEEDED",
    httpStatus: 200,
    response: null,
    attempts: 1,
  });
  expect(await isSame("narrow-journal", record)).toBe(true);
  await widenTopic(brokers, topics.journal, 1_048_588, probes);
});

test("what the results topic alone does not take is published without the text of the answer", async () => {
  const { brokers, topics } = world;
  answer = Buffer.from(JSON.stringify(randomBytes(MOST / 2 - 1).toString("hex")));
  await narrowTopic(brokers, topics.results, 100_000);
  const record = await accepted("narrow-results");
  expect(decode("command-result", record.value)).toMatchObject({ outcome: "SUCCEEDED", response: null });
});
