import { pem } from "../services/pem.ts";
import { createServices, type Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { subjectOf, topicPlans, type TopicPlan } from "../kafka/cluster/topics.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { fail, ok, type Bounds, type Check } from "./check.ts";
import { reach } from "./connection.ts";
import { checkedRoles } from "./rights.ts";

const SETUP = "run `cambio-bridge setup`; if the registry was just started, ask again first";
const WITHOUT_IT = "without the registry nothing starts";

const remedyFor = (message: string): string => {
  if (/token endpoint|KAFKA_OAUTH_/.test(message))
    return "see KAFKA_OAUTH_TOKEN_ENDPOINT, KAFKA_OAUTH_CLIENT_ID, KAFKA_OAUTH_CLIENT_SECRET, or KAFKA_OAUTH_TOKEN_FILE";
  if (/answered 40[13]/.test(message))
    return "see SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD, or its token";
  if (/check its URL/.test(message))
    return "correct SCHEMA_REGISTRY_URL, which ends where /subjects begins (such as /apis/ccompat/v7)";
  return "check that it runs and is not overloaded";
};

/** Null when the schema is registered, and what was registered last can be read with it. */
const obstacle = async (
  { name: topic, schema }: TopicPlan,
  { registry }: Services,
): Promise<Check | null> => {
  if (schema === null) return null;
  const subject = subjectOf(topic);
  const ours = readSchema(schema);
  const isThere = (await registry.find(subject, ours)) !== null;
  const other = await registry.incompatibility(subject, ours);
  if (other !== null)
    return fail(
      `schema ${subject}`,
      isThere
        ? `the newest version there is another program's: ${other}`
        : `another schema is registered there: ${other}`,
      "give the topic to the bridge alone, or set another name for it (TOPIC_…), then run `cambio-bridge setup`",
    );
  return isThere ? null : fail(`schema ${subject}`, "the registry does not know it in this version", SETUP);
};

/** Checks that the registry answers and has our schemas. It needs no settings of Kafka but those of its tokens. */
export const checkSchemas = async (config: Config, log: Log, bounds: Bounds): Promise<Check[]> => {
  const { url, caFile } = config.registry;
  const name = `registry ${url}`;
  const tls = { ca: pem("SCHEMA_REGISTRY_CA_FILE", caFile) };
  const target = { setting: "SCHEMA_REGISTRY_URL", caSetting: "SCHEMA_REGISTRY_CA_FILE" };
  const reached = await reach({ url: new URL(url), tls, ...target }, bounds);
  if (!reached.ok) return [fail(name, `${reached.detail}; ${WITHOUT_IT}`, reached.remedy)];
  const kafka = { ...config.kafka, brokers: [], tls: false, saslMechanism: undefined };
  const services = createServices({ ...config, kafka }, bounds.clock, log);
  const roles = checkedRoles(config);
  const plans = topicPlans(config.topics).filter(
    ({ role, schema }) => schema !== null && roles.includes(role),
  );
  try {
    const checks = (await Promise.all(plans.map((plan) => obstacle(plan, services)))).filter(
      (check) => check !== null,
    );
    return [
      ok(name, "answers"),
      ...checks,
      ...(checks.length === 0 ? [ok("schemas", `all ${plans.length} are registered`)] : []),
    ];
  } catch (error) {
    bounds.signal.throwIfAborted();
    const message = messageOf(error);
    return [fail(name, `${message}; ${WITHOUT_IT}`, remedyFor(message))];
  } finally {
    services.close();
  }
};
