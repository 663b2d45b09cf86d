import { pem } from "../services/pem.ts";
import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { subjectOf, topicPlans } from "../kafka/cluster/topics.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { expiresSoon, reach } from "./connection.ts";
import { checkedTopics } from "./rights.ts";

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

/** Null when the schema is registered. */
const obstacle = async (
  topic: string,
  name: Parameters<typeof readSchema>[0],
  services: Services,
): Promise<Check | null> => {
  const subject = subjectOf(topic);
  const ours = readSchema(name);
  if ((await services.registry.find(subject, ours)) !== null) return null;
  const other = await services.registry.incompatibility(subject, ours);
  return other === null
    ? fail(`schema ${subject}`, "the registry does not know it in this version", SETUP)
    : fail(
        `schema ${subject}`,
        `another schema is registered there: ${other}`,
        "give the topic to the bridge alone, or set another name for it (TOPIC_…), then run `cambio-bridge setup`",
      );
};

/** Checks that the registry answers and has our schemas. */
export const checkSchemas = async (config: Config, services: Services, bounds: Bounds): Promise<Check[]> => {
  const name = `registry ${config.registry.url}`;
  const url = new URL(config.registry.url);
  const reached = await reach(
    {
      url,
      tls: { ca: pem("SCHEMA_REGISTRY_CA_FILE", config.registry.caFile) },
      setting: "SCHEMA_REGISTRY_URL",
      caSetting: "SCHEMA_REGISTRY_CA_FILE",
    },
    bounds,
  );
  if (!reached.ok) return [fail(name, `${reached.detail}; ${WITHOUT_IT}`, reached.remedy)];
  const used = new Set<string>(checkedTopics(config).map((role) => config.topics[role]));
  const asked = topicPlans(config.topics).flatMap(({ name: topic, schema }) =>
    schema !== null && used.has(topic) ? [obstacle(topic, schema, services)] : [],
  );
  try {
    const checks = (await Promise.all(asked)).filter((check) => check !== null);
    const soon = expiresSoon(reached.expiresMs, bounds.clock);
    const ofRegistry = soon === null ? ok(name, "answers") : warn(name, soon, "have it renewed");
    return [
      ofRegistry,
      ...checks,
      ...(checks.length === 0 ? [ok("schemas", `all ${asked.length} are registered`)] : []),
    ];
  } catch (error) {
    bounds.signal.throwIfAborted();
    const message = messageOf(error);
    return [fail(name, `${message}; ${WITHOUT_IT}`, remedyFor(message))];
  }
};
