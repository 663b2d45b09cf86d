import { tlsMaterial } from "../services/pem.ts";
import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import { askOneBroker } from "../kafka/cluster/ask-one-broker.ts";
import { protocolErrorOf } from "../kafka/errors.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, type Bounds, type Check } from "./check.ts";
import { missingTls, reach, type Fault, type Target } from "./connection.ts";

const SIGN_IN_MS = 6_000;

/** What a broker says of its cluster; nothing where it could not be asked. */
export type BrokerAnswer = {
  broker: string;
  check: Check;
  clusterId: string | null;
  advertised: readonly string[];
};

const targetOf = ({ kafka }: Config, broker: string): Target => ({
  url: new URL(`${kafka.tls ? "https" : "http"}://${broker}`),
  tls: tlsMaterial("KAFKA", kafka),
  setting: "KAFKA_BROKERS",
  caSetting: "KAFKA_TLS_CA_FILE",
});

/** What is wrong with the sign-in, or with what answers there. */
const signInFault = ({ kafka: { saslMechanism: mechanism } }: Config, error: unknown): Fault => {
  const reason = messageOf(error);
  if (error instanceof DeadlineError)
    return {
      detail: `it accepts the connection and does not answer as Kafka does (${reason}): it is frozen, overloaded or another server`,
      remedy: "check that broker, and that KAFKA_BROKERS names its Kafka port",
    };
  switch (protocolErrorOf(error)) {
    case "ILLEGAL_SASL_STATE":
      return {
        detail: `that listener takes no sign-in (${reason})`,
        remedy: "name the brokers' SASL port in KAFKA_BROKERS, or leave KAFKA_SASL_MECHANISM out",
      };
    case "UNSUPPORTED_SASL_MECHANISM":
      return {
        detail: `it does not know KAFKA_SASL_MECHANISM=${mechanism} (${reason})`,
        remedy: "set KAFKA_SASL_MECHANISM as that listener has it (sasl.enabled.mechanisms)",
      };
  }
  const remedy =
    mechanism === undefined
      ? "see whether that is a Kafka listener, and wants a sign-in (KAFKA_SASL_MECHANISM) or a client certificate (KAFKA_TLS_CERT_FILE)"
      : mechanism === "oauthbearer"
        ? "compare the token's issuer, audience and expiry with sasl.oauthbearer.expected.issuer and .audience of the broker: see KAFKA_OAUTH_AUDIENCE"
        : `see KAFKA_SASL_MECHANISM (${mechanism}) and its user, password or token, and that the listener takes it`;
  return { detail: `it refuses the connection or the sign-in (${reason})`, remedy };
};

type ServicesFor = (brokers: readonly string[]) => Services;

/** Asks each broker of KAFKA_BROKERS by itself. Those of another cluster than the first that answers are refused. */
export const askBrokers = async (
  config: Config,
  servicesFor: ServicesFor,
  bounds: Bounds,
): Promise<BrokerAnswer[]> => {
  const askBroker = async (broker: string): Promise<BrokerAnswer> => {
    const name = `broker ${broker}`;
    const refused = ({ detail, remedy }: Fault): BrokerAnswer => ({
      broker,
      check: fail(name, detail, remedy),
      clusterId: null,
      advertised: [],
    });
    const target = targetOf(config, broker);
    const reached = await reach(target, bounds);
    if (!reached.ok) return refused(reached);
    try {
      const asked = askOneBroker(servicesFor([broker]).newClient, bounds.clock);
      const described = await bounds.clock.within(SIGN_IN_MS, bounds.signal, asked);
      const how = config.kafka.saslMechanism === undefined ? "answers" : "answers, and accepts the sign-in";
      return { broker, check: ok(name, how), ...described };
    } catch (error) {
      bounds.signal.throwIfAborted();
      return refused((await missingTls(target, bounds)) ?? signInFault(config, error));
    }
  };
  const answers = await Promise.all(config.kafka.brokers.map(askBroker));
  const first = answers.find(({ clusterId }) => clusterId !== null);
  return answers.map((answer) => {
    const { broker, clusterId } = answer;
    if (!first || clusterId === null || clusterId === first.clusterId) return answer;
    const detail = `it belongs to another cluster (${clusterId}) than ${first.broker} (${first.clusterId}): each client would use one of them by chance`;
    const remedy = "name the brokers of one cluster in KAFKA_BROKERS, and run `setup` only then";
    return { broker, clusterId, advertised: [], check: fail(`broker ${broker}`, detail, remedy) };
  });
};

/** Checks the advertised brokers that KAFKA_BROKERS does not name: clients are sent on to them. */
export const checkAdvertised = async (
  config: Config,
  asked: readonly BrokerAnswer[],
  bounds: Bounds,
): Promise<Check[]> => {
  const all = new Set(asked.flatMap(({ advertised }) => advertised));
  const others = [...all].filter((broker) => !config.kafka.brokers.includes(broker));
  const remedy = "correct advertised.listeners of that broker, or let this machine resolve and reach it";
  const checks = others.map(async (broker) => {
    const found = await reach(targetOf(config, broker), bounds);
    return !found.ok
      ? [fail(`broker ${broker}`, `the cluster sends clients to it, and ${found.detail}`, remedy)]
      : [];
  });
  return (await Promise.all(checks)).flat();
};
