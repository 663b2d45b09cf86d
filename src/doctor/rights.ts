import { electionGroup } from "../log-to-events/wire/note.ts";
import { usedTopics } from "../kafka/wire/topic-demands.ts";
import type { Services } from "../kafka/wire/services.ts";
import type { Config } from "../config/config.ts";
import { connectRights, type Rights } from "../kafka/cluster/rights.ts";
import { topicPlans, type TopicRole, type TopicPlan } from "../kafka/cluster/topics.ts";
import { protocolErrorOf } from "../kafka/errors.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";

/** The topics to check: those of the flows, and those that people's commands always need. */
export const checkedPlans = (config: Config): readonly TopicPlan[] => {
  const roles: TopicRole[] = [...usedTopics(config), "audit", "control"];
  return topicPlans(config.topics).filter(({ role }) => roles.includes(role));
};

const ofTopic = async (rights: Rights, plan: TopicPlan): Promise<Check[]> => {
  const denied: string[] = [];
  for (const right of plan.rights) if (await rights.isTopicDenied(plan.name, right)) denied.push(right);
  return denied.map((right) =>
    fail(
      `topic ${plan.name}`,
      `this user may not ${right.toLowerCase()} the topic, or not see it`,
      `grant ${right} and Describe on it: "Rights in Kafka" in docs/security.md`,
    ),
  );
};

/** Checks that `serve` may do what it does, by requests that change nothing. */
export const checkRights = async (
  config: Config,
  services: Services,
  { clock, signal }: Bounds,
): Promise<readonly Check[]> => {
  const rights = await connectRights(services.newClient, clock);
  const { groupId, sessionTimeoutMs } = config.kafka;
  const checks: Check[] = [];
  const ask = async (what: string, question: () => Promise<Check[]>): Promise<void> => {
    signal.throwIfAborted();
    const answers = await question().catch((error: unknown) => [
      warn(what, `could not be checked (${messageOf(error)})`, "run `cambio-bridge doctor` again"),
    ]);
    checks.push(...answers);
  };
  const askGroup = (id: string): Promise<void> =>
    ask(`group ${id}`, async () => {
      const name = `group ${id}`;
      try {
        return (await rights.isGroupDenied(id, sessionTimeoutMs))
          ? [fail(name, "this user may not join the group", "grant Read on it")]
          : [];
      } catch (error) {
        if (!/^(INVALID_SESSION|INCONSISTENT_GROUP)/.test(protocolErrorOf(error))) throw error;
        const remedy = "see KAFKA_SESSION_TIMEOUT, and whether another program is in that group";
        return [fail(name, `no replica can join the group (${messageOf(error)})`, remedy)];
      }
    });
  const { flows } = config.bridge;
  try {
    for (const plan of checkedPlans(config)) await ask(`topic ${plan.name}`, () => ofTopic(rights, plan));
    if (flows.includes("commands")) await askGroup(groupId);
    if (flows.includes("reconcile")) await askGroup(electionGroup(config));
  } finally {
    void rights.close();
  }
  return checks.length > 0
    ? checks
    : [ok("rights", "reading, writing and joining groups is allowed as `serve` needs it")];
};
