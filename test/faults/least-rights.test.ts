import { expect, it, onTestFinished } from "vitest";
import { CERTIFICATE_USER, securedBrokers, type Right } from "../support/secured-brokers.ts";
import type { Names } from "../support/settings.ts";
import { onAllBrokers } from "../support/three-brokers.ts";
import { openWorld, type World } from "../support/world.ts";

const { kafka, allow, byScram, byCertificate } = securedBrokers();

const onTopics = (names: readonly string[], ...may: Right["may"]): Right[] =>
  names.map((name) => ({ of: "TOPIC", name, may }));
const ownGroups = (groupId: string): Right => ({ of: "GROUP", name: `${groupId}-*`, may: ["READ"] });

/** As docs/security.md has them, "Rights in Kafka", and no more. */
const rights = {
  serve: ({ topics, groupId }: Names): Right[] => [
    ...onTopics(Object.values(topics), "DESCRIBE"),
    ...onTopics([topics.commands, topics.journal, topics.events, topics.control], "READ"),
    ...onTopics([topics.events, topics.results, topics.journal, topics.deadLetters], "WRITE"),
    { of: "GROUP", name: groupId, may: ["READ"] },
    ownGroups(groupId),
  ],
  setup: ({ topics }: Names): Right[] => onTopics(Object.values(topics), "CREATE", "DESCRIBE"),
  sender: ({ topics, groupId }: Names): Right[] => [
    ...onTopics([topics.commands], "WRITE"),
    ...onTopics([topics.results], "READ"),
    ownGroups(groupId),
  ],
  operator: ({ topics, groupId }: Names): Right[] => [
    ...onTopics([topics.control], "READ", "WRITE"),
    ...onTopics([topics.audit], "WRITE"),
    ...onTopics([topics.commands, topics.events], "DESCRIBE"),
    ownGroups(groupId),
    { of: "GROUP", name: groupId, may: ["DESCRIBE"] },
  ],
};

const opened = async (): Promise<World> => {
  const world = await openWorld(kafka.cluster(), {
    setUp: false,
    settings: { ...onAllBrokers, RECONCILE_MIN_AGE: "1s" },
  });
  onTestFinished(world.close);
  await allow("setup", rights.setup(world));
  const { code, err } = await world.run(["setup"], await byScram("setup"));
  expect(err).toBe("");
  expect(code).toBe(0);
  return world;
};

const webhook = (url: string): Promise<number> =>
  fetch(url, {
    method: "POST",
    body: JSON.stringify({
      transactionId: "tx-1",
      status: "AWAITING_PAYMENT",
      createdAt: "2026-11-21T12:00:00Z",
    }),
  }).then(({ status }) => status);

const QUOTE = [
  "--direction",
  "OUTBOUND",
  "--purpose",
  "x",
  "--amount",
  "1",
  "--base",
  "USD",
  "--quoted",
  "BRL",
];
const BY = ["--by", "ana", "--note", "test"];

it.each([
  ["SCRAM and a client certificate", "serve", () => byScram("serve")],
  ["a client certificate alone", CERTIFICATE_USER, byCertificate],
])("serves with the rights that are written down and no others: %s", async (_, user, settings) => {
  const world = await opened();
  await allow(user, rights.serve(world));
  const replica = await world.startReplica(await settings());
  await replica.untilReady();
  expect(await webhook(replica.webhookUrl)).toBe(200);

  await allow("sender", rights.sender(world));
  const sent = await world.run(["send", "create-quote", ...QUOTE, "--wait"], await byScram("sender"));
  expect(sent.err).toMatch(/^Sent command [^\n]*\n$/);
  expect(JSON.parse(sent.out.slice(sent.out.indexOf("{")))).toMatchObject({ operation: "CREATE_QUOTE" });

  await allow("operator", rights.operator(world));
  const operator = await byScram("operator");
  for (const args of [["pause", "commands", ...BY], ["status"], ["resume", "commands", ...BY]])
    expect(await world.run(args, operator), args.join(" ")).toMatchObject({ code: 0, err: "" });

  const lines = (await replica.lines()).join("\n");
  expect(lines).not.toMatch(/authoriz/i);
  expect(lines).not.toContain("password-of-");
  expect(await replica.stop()).toBe(0);
});

it("says in a sentence that Kafka does not take a password, and ends where nothing is allowed", async () => {
  const world = await opened();
  const settings = await byScram("nobody");
  const wrong = await world.run(["setup"], { ...settings, KAFKA_SASL_PASSWORD: "another-password" });
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/^Kafka does not let it in\. KAFKA_SASL_MECHANISM \(scram-sha-512\): [^\n]*\n$/);
  expect(wrong.err).not.toContain("another-password");
  const replica = await world.startReplica(settings);
  // Kafka does not say of a topic that may not be described whether it is there.
  await replica.untilLine((text) => text.startsWith(`Topic ${world.topics.events} does not exist`), "why");
  expect(await replica.exited()).toBe(1);
});
