import kafkajs, { type AclEntry } from "kafkajs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startKafka, type KafkaCluster } from "../../dev/cluster/kafka.mjs";
import { sharedCluster } from "../support/cluster.ts";
import { askAdmin } from "../support/kafka.ts";
import { runProgram } from "../support/program.ts";
import { ownNames, serveSettings, toolSettings, type Settings } from "../support/settings.ts";

const PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule";
const names = ownNames();
const { groupId, topics } = names;
let kafka: KafkaCluster;

beforeAll(async () => {
  kafka = await startKafka({
    security: {
      listeners: { SECURED: "SASL_PLAINTEXT" },
      settings: {
        "listener.name.secured.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.secured.plain.sasl.jaas.config": `${PLAIN} required user_bridge="right";`,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        // Whoever comes by the listener in clear: the brokers themselves, and this test.
        "super.users": "User:ANONYMOUS",
      },
    },
  });
  const cluster = { ...sharedCluster(), kafkaBrokers: kafka.bootstrapServers };
  const { code } = await runProgram(["setup"], { ...toolSettings(cluster, names), TOPIC_PARTITIONS: "1" });
  expect(code).toBe(0);
}, 90_000);
afterAll(() => kafka.stop());

const examine = async (over: Settings = {}) => {
  const cluster = { ...sharedCluster(), kafkaBrokers: kafka.at("SECURED") };
  const { out } = await runProgram(["doctor", "--json"], {
    ...toolSettings(cluster, names),
    ...serveSettings,
    PARTNER_BASE_URL: "http://127.0.0.1:1",
    WEBHOOK_PORT: "0",
    MANAGEMENT_PORT: "0",
    KAFKA_SASL_MECHANISM: "plain",
    KAFKA_SASL_USERNAME: "bridge",
    KAFKA_SASL_PASSWORD: "right",
    KAFKA_ALLOW_PLAINTEXT: "true",
    ...over,
  });
  const { checks } = JSON.parse(out) as { checks: Record<string, string>[] };
  return (group: string): string[] =>
    checks
      .filter((check) => check["group"] === group)
      .map(({ status, name, detail, remedy }) => `${status} ${name}: ${detail}: ${remedy}`);
};

const { AclResourceTypes, ResourcePatternTypes, AclOperationTypes, AclPermissionTypes } = kafkajs;

const allow = (acls: readonly Omit<AclEntry, "principal" | "host" | "permissionType">[]): Promise<unknown> =>
  askAdmin(kafka.bootstrapServers, (admin) =>
    admin.createAcls({
      acl: acls.map((acl) => ({
        ...acl,
        principal: "User:bridge",
        host: "*",
        permissionType: AclPermissionTypes.ALLOW,
      })),
    }),
  );

const onTopic = (resourceName: string, operation: kafkajs.AclOperationTypes) => ({
  resourceType: AclResourceTypes.TOPIC,
  resourceName,
  resourcePatternType: ResourcePatternTypes.LITERAL,
  operation,
});
const onGroup = (resourceName: string, resourcePatternType: kafkajs.ResourcePatternTypes) => ({
  resourceType: AclResourceTypes.GROUP,
  resourceName,
  resourcePatternType,
  operation: AclOperationTypes.READ,
});

test("a wrong password, and none at all, where one is wanted", async () => {
  const wrong = await examine({ KAFKA_SASL_PASSWORD: "wrong-one" });
  expect(wrong("kafka")).toEqual([
    expect.stringMatching(/^fail broker .*: it does not let us in.*KAFKA_SASL_MECHANISM \(plain\)/),
  ]);
  expect(wrong("kafka").join()).not.toContain("wrong-one");
  const none = await examine({ KAFKA_SASL_MECHANISM: "", KAFKA_SASL_PASSWORD: "", KAFKA_SASL_USERNAME: "" });
  expect(none("kafka")).toEqual([
    expect.stringMatching(/^fail broker .*: it does not let us in.*KAFKA_SASL_MECHANISM \(none\)/),
  ]);
});

test("rights: each that is missing is named, and with the least ones of the documentation none is", async () => {
  const without = await examine();
  expect(without("kafka")).toEqual([expect.stringMatching(/^ok .*accepts the sign-in/)]);
  for (const topic of Object.values(topics))
    expect(without("rights").join("\n")).toMatch(new RegExp(`^fail topic ${topic}: this user may not`, "m"));
  expect(without("rights")).toContainEqual(
    expect.stringMatching(`^fail group ${groupId}: .*grant Read on it`),
  );
  expect(without("rights")).toContainEqual(
    expect.stringMatching(`^fail group ${groupId}-reconcile: .*grant Read on it`),
  );
  expect(without("topics").join()).not.toContain("does not exist");

  const { READ, WRITE, DESCRIBE } = AclOperationTypes;
  await allow([
    ...Object.values(topics).map((topic) => onTopic(topic, DESCRIBE)),
    ...[topics.commands, topics.journal, topics.events, topics.control].map((topic) => onTopic(topic, READ)),
    ...[topics.journal, topics.results, topics.deadLetters, topics.audit].map((topic) =>
      onTopic(topic, WRITE),
    ),
    onGroup(groupId, ResourcePatternTypes.LITERAL),
    onGroup(`${groupId}-reconcile`, ResourcePatternTypes.LITERAL),
  ]);
  expect((await examine())("rights")).toEqual([
    expect.stringMatching(`^fail topic ${topics.events}: this user may not write the topic.*: grant Write`),
  ]);

  await allow([onTopic(topics.events, WRITE)]);
  const least = await examine();
  expect(least("rights")).toEqual([expect.stringMatching(/^ok rights/)]);
  expect(least("topics")).toContainEqual(expect.stringMatching(/^warn topics: .*grant DescribeConfigs/));
});
