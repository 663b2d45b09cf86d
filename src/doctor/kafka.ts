import { createServices, type Services } from "../kafka/wire/services.ts";
import { signInOf, type SignIn } from "../kafka/wire/sign-in.ts";
import type { Config } from "../config/config.ts";
import { askOneBroker, type Described } from "../kafka/cluster/ask-one-broker.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, isFailed, ok, runBounded, skipped, type Check, type Doctor, type Subject } from "./check.ts";
import { missingTls, reach, type CheckTarget } from "./connection.ts";
import { checkRights, checkTopics } from "./topics.ts";

/** Both together take less than 20 s, whatever hangs. */
const BROKERS_MS = 12_000;
const CLUSTER_MS = 7_000;
const TOKEN_MS = 4_000;
const SIGN_IN_MS = 5_000;

type ServicesFor = (brokers: readonly string[]) => Services;

/** What a broker says of its cluster; null where it says nothing. */
type Answer = { checks: readonly Check[]; description: (Described & { broker: string }) | null };

const targetOf = ({ kafka }: Config, broker: string): CheckTarget => ({
  name: `broker ${broker}`,
  url: new URL(`${kafka.tls ? "https" : "http"}://${broker}`),
  tls: { ca: kafka.tlsCa, cert: kafka.tlsCert, key: kafka.tlsKey?.reveal() },
  setting: "KAFKA_BROKERS",
  caSetting: "KAFKA_TLS_CA_FILE",
  until: "nothing works without Kafka",
});

const checkToken = async ({ tokens }: SignIn, { clock, signal }: Doctor): Promise<Check[]> => {
  if (!tokens) return [];
  try {
    await clock.within(TOKEN_MS, signal, tokens.token());
    return [ok("token", "its source gives tokens")];
  } catch (error) {
    signal.throwIfAborted();
    const remedy =
      "see the settings KAFKA_OAUTH_… or KAFKA_AWS_… of its source, above all the credentials, and that it " +
      "runs";
    return [fail("token", messageOf(error), remedy)];
  }
};

const askBroker = async (broker: string, servicesFor: ServicesFor, doctor: Doctor): Promise<Answer> => {
  const { config, clock, signal } = doctor;
  const target = targetOf(config, broker);
  const { name } = target;
  const reached = await reach(target, doctor);
  if (isFailed(reached)) return { checks: reached, description: null };
  try {
    const asking = askOneBroker(servicesFor([broker]).newClient, clock);
    const description = { broker, ...(await clock.within(SIGN_IN_MS, signal, asking)) };
    const how = config.kafka.saslMechanism === undefined ? "answers" : "answers, and accepts the sign-in";
    return { checks: [ok(name, how), ...reached], description };
  } catch (error) {
    signal.throwIfAborted();
    const [noTls] = await missingTls(target, doctor);
    const how = config.kafka.saslMechanism ?? "none";
    const refused = fail(
      name,
      `it does not let us in, or does not answer as Kafka does (${messageOf(error)})`,
      "see that KAFKA_BROKERS names a Kafka port, and that it takes this sign-in: KAFKA_SASL_MECHANISM " +
        `(${how}) with its user, password or token, or a client certificate (KAFKA_TLS_CERT_FILE)`,
    );
    return { checks: [noTls ?? refused], description: null };
  }
};

/** Finds the brokers of KAFKA_BROKERS that clients could use, and what is wrong with the others. */
const checkBrokers = async (
  servicesFor: ServicesFor,
  doctor: Doctor,
): Promise<{ usable: readonly string[]; checks: readonly Check[] }> => {
  const { config } = doctor;
  const { brokers } = config.kafka;
  const answers = await Promise.all(brokers.map((broker) => askBroker(broker, servicesFor, doctor)));
  const descriptions = answers.flatMap(({ description }) => description ?? []);
  const [first] = descriptions;
  const strangers = descriptions.filter(({ clusterId }) => clusterId !== first?.clusterId);
  const mixed = strangers.map(({ broker }) =>
    fail(
      `broker ${broker}`,
      `it belongs to another cluster than ${first?.broker}: each client would use one of them by chance`,
      "name the brokers of one cluster in KAFKA_BROKERS, and run `setup` only then",
    ),
  );
  // Clients are sent on to what the cluster advertises.
  const usable = descriptions.filter((each) => !strangers.includes(each));
  const advertised = [...new Set(usable.flatMap((each) => each.advertised))];
  const until = "the cluster sends clients to it: see advertised.listeners of that broker";
  const others = advertised.filter((broker) => !brokers.includes(broker));
  const checksOfOthers = await Promise.all(
    others.map((broker) => reach({ ...targetOf(config, broker), until }, doctor)),
  );
  const isAway = others.length > 0 && others.length === advertised.length && checksOfOthers.every(isFailed);
  return {
    usable: isAway ? [] : usable.map(({ broker }) => broker),
    checks: [...answers.flatMap(({ checks }) => checks), ...mixed, ...checksOfOthers.flat()],
  };
};

export const kafkaChecks = (doctor: Doctor): Subject[] => {
  const { config, clock, log } = doctor;
  let signIn: SignIn;
  try {
    signIn = signInOf(config, { clock, log, random: Math.random });
  } catch (error) {
    const check = fail("sign-in", messageOf(error), "see KAFKA_SASL_MECHANISM");
    return [{ group: "kafka", checks: Promise.resolve([check]) }];
  }
  /** These services know no registry, whose address may be missing. All share one source of tokens. */
  const servicesFor: ServicesFor = (brokers) => {
    const registry = { ...config.registry, url: "http://registry.invalid" };
    const kafka = { ...config.kafka, brokers };
    const options = { clock, log, signIn: { ...signIn, close: () => undefined } };
    return createServices({ ...config, registry, kafka }, options);
  };
  const usable: string[] = [];
  const brokerChecks = runBounded("brokers", BROKERS_MS, doctor, async (limits) => {
    const token = await checkToken(signIn, limits);
    if (isFailed(token)) return token;
    const answer = await checkBrokers(servicesFor, limits);
    usable.push(...answer.usable);
    return [...token, ...answer.checks];
  });
  const further = async (group: string, check: typeof checkRights): Promise<readonly Check[]> => {
    await brokerChecks;
    if (usable.length === 0) return [skipped(group, "no broker can be used")];
    const services = servicesFor(usable);
    const checking = runBounded(group, CLUSTER_MS, doctor, (limits) => check(limits, services));
    return checking.finally(services.close);
  };
  const rights = further("rights", checkRights);
  const topics = Promise.all([further("topics", checkTopics), rights]).then(([findings, denied]) => {
    // Without the right to see it, a topic looks as if it did not exist.
    const isDenied = (name: string): boolean => isFailed(denied.filter((check) => check.name === name));
    return findings.filter(({ name, code }) => code !== "topicMissing" || !isDenied(name));
  });
  void Promise.allSettled([rights, topics]).then(signIn.close);
  return [
    { group: "kafka", checks: brokerChecks },
    { group: "rights", checks: rights },
    { group: "topics", checks: topics },
  ];
};
