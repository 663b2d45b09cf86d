import { usedTopics } from "../bridge/prerequisites.ts";
import { electionGroup } from "../bridge/reconcile-note.ts";
import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import { connectRights, type Rights } from "../kafka/cluster/rights.ts";
import type { TopicNames } from "../kafka/cluster/topics.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";

type Operation = "Describe" | "Read" | "Write";

/** What `serve` does with each topic; for topics that it does not use, what the operator's commands do. */
const NEEDED: Record<keyof TopicNames, readonly Operation[]> = {
  transactionStatus: ["Read", "Write"],
  commands: ["Read"],
  results: ["Write"],
  journal: ["Read", "Write"],
  deadLetters: ["Write"],
  audit: ["Write"],
  control: ["Read"],
};

/** The topics to check: those of the flows, and those that the operator's commands always need. */
export const checkedTopics = (config: Config): (keyof TopicNames)[] => [
  ...new Set([...usedTopics(config), "audit" as const, "control" as const]),
];

const ofTopic = async (rights: Rights, topic: string, operations: readonly Operation[]): Promise<Check[]> => {
  const name = `topic ${topic}`;
  const checks: Check[] = [];
  for (const operation of operations) {
    const verdict = await rights.topic(topic, operation);
    if (verdict === "missing")
      return [
        warn(
          name,
          "rights cannot be checked before it exists",
          "see what `topics` says of it, then run `cambio-bridge doctor` again",
        ),
      ];
    if (verdict === "denied")
      checks.push(
        fail(
          name,
          `this user may not ${operation.toLowerCase()} the topic, or not see it`,
          `grant ${operation} and Describe on it: "Rights in Kafka" in docs/security.md`,
        ),
      );
  }
  return checks;
};

const ofGroup = async (
  rights: Rights,
  { groupId, sessionTimeoutMs }: { groupId: string; sessionTimeoutMs: number },
): Promise<Check[]> => {
  switch (await rights.group(groupId, sessionTimeoutMs)) {
    case "allowed":
      return [];
    case "denied":
      return [fail(`group ${groupId}`, "this user may not join the group", "grant Read on it")];
    case "session":
      return [
        fail(
          "KAFKA_SESSION_TIMEOUT",
          `the brokers allow no session of ${sessionTimeoutMs / 1_000} s, so that no replica can join its groups`,
          "set it between group.min.session.timeout.ms and group.max.session.timeout.ms of the brokers",
        ),
      ];
    case "protocol":
      return [
        fail(
          `group ${groupId}`,
          "its members are another kind of program: no replica can join them",
          "give that program another group, or the bridge another KAFKA_GROUP_ID before its first start",
        ),
      ];
  }
};

/** Checks that `serve` may do what it does, by requests that change nothing. */
export const checkRights = async (
  config: Config,
  services: Services,
  { clock, signal }: Bounds,
): Promise<Check[]> => {
  const rights = await clock.within(5_000, signal, connectRights(services.newClient, clock));
  const { groupId, sessionTimeoutMs } = config.kafka;
  const checks: Check[] = [];
  const ask = async (what: string, question: () => Promise<Check[]>): Promise<void> => {
    await question().then(
      (found) => checks.push(...found),
      (error: unknown) =>
        checks.push(warn(what, `this right could not be checked (${messageOf(error)})`, "check the broker")),
    );
    signal.throwIfAborted();
  };
  try {
    for (const role of checkedTopics(config)) {
      const name = config.topics[role];
      await ask(`topic ${name}`, () => ofTopic(rights, name, NEEDED[role]));
    }
    if (config.bridge.flows.includes("commands"))
      await ask(`group ${groupId}`, () => ofGroup(rights, config.kafka));
    const election = { groupId: electionGroup(config), sessionTimeoutMs };
    // One line says of the session for all groups.
    if (
      config.bridge.flows.includes("reconcile") &&
      !checks.some(({ name }) => name === "KAFKA_SESSION_TIMEOUT")
    )
      await ask(`group ${election.groupId}`, () => ofGroup(rights, election));
  } finally {
    void rights.close();
  }
  return checks.length > 0
    ? checks
    : [ok("rights", "reading, writing and joining groups is allowed as `serve` needs it")];
};
