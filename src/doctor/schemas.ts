import { createServices, type Services } from "../kafka/wire/services.ts";
import { readSchema } from "../kafka/schema/schemas.ts";
import { isStrange, RegistryError } from "../kafka/schema/registry-http.ts";
import { subjectOf, type TopicPlan } from "../kafka/cluster/topics.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, isFailed, ok, type Check, type Doctor } from "./check.ts";
import { reach, type CheckTarget } from "./connection.ts";
import { checkedPlans } from "./topics.ts";

const remedyFor = (error: unknown): string => {
  const status = error instanceof RegistryError ? error.status : null;
  if (status === 401 || status === 403)
    return "see SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD, or its token";
  if (status !== null && isStrange(status))
    return "correct SCHEMA_REGISTRY_URL, which ends where /subjects begins (such as /apis/ccompat/v7)";
  return "check that it runs and is not overloaded";
};

const checkSchema = async ({ name: topic, schema }: TopicPlan, { registry }: Services): Promise<Check[]> => {
  if (schema === null) return [];
  const subject = subjectOf(topic);
  const ours = readSchema(schema);
  const isThere = (await registry.find(subject, ours)) !== null;
  const other = await registry.incompatibility(subject, ours);
  const name = `schema ${subject}`;
  if (other !== null)
    return [
      fail(
        name,
        `the newest version there is another program's: ${other}`,
        "give the topic to the bridge alone, or set another name for it (TOPIC_…), then run `cambio-bridge setup`",
      ),
    ];
  const remedy = "run `cambio-bridge setup`; if the registry was just started, ask again first";
  return isThere ? [] : [fail(name, "the registry does not know it in this version", remedy)];
};

/** Checks that the registry answers and has our schemas. It needs no settings of Kafka but those of its tokens. */
export const checkSchemas = async (doctor: Doctor): Promise<Check[]> => {
  const { config, signal } = doctor;
  const { url, ca } = config.registry;
  const target: CheckTarget = {
    name: `registry ${url}`,
    url: new URL(url),
    tls: { ca },
    setting: "SCHEMA_REGISTRY_URL",
    caSetting: "SCHEMA_REGISTRY_CA_FILE",
    until: "without the registry nothing starts",
  };
  const reached = await reach(target, doctor);
  if (isFailed(reached)) return reached;
  const kafka = { ...config.kafka, brokers: [], tls: false, saslMechanism: undefined };
  const services = createServices({ ...config, kafka }, doctor);
  try {
    const checks = await Promise.all(checkedPlans(config).map((plan) => checkSchema(plan, services)));
    return [ok(target.name, "answers"), ...reached, ...checks.flat()];
  } catch (error) {
    signal.throwIfAborted();
    return [fail(target.name, `${messageOf(error)}; ${target.until}`, remedyFor(error))];
  } finally {
    services.close();
  }
};
