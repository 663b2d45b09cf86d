import { electionGroup } from "../log-to-events/wire/note.ts";
import { usedTopics } from "../bridge/prerequisites.ts";
import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import { connectRights, type Rights } from "../kafka/cluster/rights.ts";
import { topicPlans, type Role, type TopicPlan } from "../kafka/cluster/topics.ts";
import { protocolErrorOf } from "../kafka/errors.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";

/** The topics to check: those of the flows, and those that people's commands always need. */
export const checkedRoles = (config: Config): readonly Role[] => [
  ...new Set<Role>([...usedTopics(config), "audit", "control"]),
];

const ofTopic = async (rights: Rights, plan: TopicPlan): Promise<Check[]> => {
  const name = `topic ${plan.name}`;
  const checks: Check[] = [];
  for (const right of plan.rights) {
    const verdict = await rights.topic(plan.name, right);
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
          `this user may not ${right.toLowerCase()} the topic, or not see it`,
          `grant ${right} and Describe on it: "Rights in Kafka" in docs/security.md`,
        ),
      );
  }
  return checks;
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
    const found = await question().catch((error: unknown) => [
      warn(what, `this right could not be checked (${messageOf(error)})`, "check the broker"),
    ]);
    checks.push(...found);
    signal.throwIfAborted();
  };
  const askGroup = (id: string): Promise<void> =>
    ask(`group ${id}`, async () => {
      const name = `group ${id}`;
      try {
        const verdict = await rights.group(id, sessionTimeoutMs);
        return verdict === "denied"
          ? [fail(name, "this user may not join the group", "grant Read on it")]
          : [];
      } catch (error) {
        if (!/^(INVALID_SESSION|INCONSISTENT_GROUP)/.test(protocolErrorOf(error))) throw error;
        const remedy = "see KAFKA_SESSION_TIMEOUT, and whether another program is in that group";
        return [fail(name, `no replica can join the group (${messageOf(error)})`, remedy)];
      }
    });
  try {
    const roles = checkedRoles(config);
    for (const plan of topicPlans(config.topics).filter(({ role }) => roles.includes(role)))
      await ask(`topic ${plan.name}`, () => ofTopic(rights, plan));
    const { flows } = config.bridge;
    if (flows.includes("commands")) await askGroup(groupId);
    if (flows.includes("reconcile")) await askGroup(electionGroup(config));
  } finally {
    void rights.close();
  }
  return checks.length > 0
    ? checks
    : [ok("rights", "reading, writing and joining groups is allowed as `serve` needs it")];
};
