import { tlsMaterial } from "../services/pem.ts";
import type { Config } from "../config/config.ts";
import { askOneBroker } from "../kafka/cluster/ask-one-broker.ts";
import { probeProtocol, type ProbeResult } from "../kafka/cluster/protocol-probe.ts";
import { connectFor } from "../partner/connection/connect.ts";
import { protocolErrorOf } from "../kafka/errors.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { expiresSoon, reach, speaksTls, type Target } from "./connection.ts";
import type { KafkaAccess } from "./access.ts";

const GREETING_MS = 3_000;
const SIGN_IN_MS = 6_000;

const targetOf = ({ kafka }: Config, broker: string, tls = kafka.tls): Target => ({
  url: new URL(`${tls ? "https" : "http"}://${broker}`),
  tls: tlsMaterial("KAFKA", kafka),
  setting: "KAFKA_BROKERS",
  caSetting: "KAFKA_TLS_CA_FILE",
});

/** Which protocol answers at an address, with or without TLS. */
const protocolAt = async ({ url, tls }: Target, { clock, signal }: Bounds): Promise<ProbeResult> => {
  const opening = connectFor({ origin: url, tls, proxy: null, clock })();
  try {
    const socket = await clock.within(GREETING_MS, signal, opening.socket);
    return await probeProtocol(socket, { clock, signal, ms: GREETING_MS });
  } catch {
    signal.throwIfAborted();
    return "closed";
  } finally {
    opening.giveUp();
  }
};

const NOT_KAFKA: Record<Exclude<ProbeResult, "kafka">, readonly [string, string]> = {
  http: ["an HTTP server answers there, not Kafka", "name the brokers' Kafka port in KAFKA_BROKERS"],
  tls: ["it speaks TLS, and KAFKA_TLS is false", "set KAFKA_TLS=true, or name its plaintext port"],
  other: ["something answers there that is not Kafka", "name the brokers' Kafka port in KAFKA_BROKERS"],
  closed: [
    "it closes the connection at the first request",
    "see its log for the listener of that port: it may want a client certificate (KAFKA_TLS_CERT_FILE), or another one than ours",
  ],
  nothing: [
    "it accepts the connection and answers nothing: it is frozen or overloaded, or not Kafka",
    "check that broker",
  ],
};

/**
 * What keeps a client from talking to a broker, short of the sign-in; null where nothing does. A warning is
 * possible.
 */
const obstacle = async (config: Config, broker: string, bounds: Bounds): Promise<Check | null> => {
  const target = targetOf(config, broker);
  const name = `broker ${broker}`;
  const reached = await reach(target, bounds);
  if (!reached.ok) {
    // The handshake may hang where the connection is accepted.
    if (config.kafka.tls && reached.silent && (await reach(targetOf(config, broker, false), bounds)).ok)
      return fail(name, ...NOT_KAFKA.nothing);
    const isPlain = reached.notTls && (await protocolAt(targetOf(config, broker, false), bounds)) === "kafka";
    return isPlain
      ? fail(
          name,
          "it speaks no TLS there, and KAFKA_TLS is true",
          "name its TLS port, or leave KAFKA_TLS out",
        )
      : fail(name, reached.detail, reached.remedy);
  }
  let spoken = await protocolAt(target, bounds);
  const isOdd = !config.kafka.tls && (spoken === "closed" || spoken === "other");
  if (isOdd && (await speaksTls(target, bounds))) spoken = "tls";
  if (spoken !== "kafka") return fail(name, ...NOT_KAFKA[spoken]);
  const soon = expiresSoon(reached.expiresMs, bounds.clock);
  return soon === null ? null : warn(name, soon, "have it renewed before clients refuse it");
};

/** What is wrong with the sign-in, and what to do. */
const signInFault = ({ kafka }: Config, error: unknown): readonly [string, string] => {
  const answer = protocolErrorOf(error);
  const reason = messageOf(error);
  if (error instanceof DeadlineError)
    return [
      `it answered the first request, and then nothing more (${reason}): it is overloaded, or just starting`,
      "check that broker",
    ];
  if (answer === "ILLEGAL_SASL_STATE")
    return [
      `that listener takes no sign-in (${reason})`,
      "name the brokers' SASL port in KAFKA_BROKERS, or leave KAFKA_SASL_MECHANISM out",
    ];
  if (answer === "UNSUPPORTED_SASL_MECHANISM")
    return [
      `it does not know KAFKA_SASL_MECHANISM=${kafka.saslMechanism} (${reason})`,
      "set KAFKA_SASL_MECHANISM as that listener has it (sasl.enabled.mechanisms)",
    ];
  if (kafka.saslMechanism === undefined)
    return [
      `it refuses the connection or the sign-in (${reason})`,
      "see whether that listener wants a sign-in (KAFKA_SASL_MECHANISM) or a client certificate (KAFKA_TLS_CERT_FILE)",
    ];
  if (kafka.saslMechanism === "oauthbearer")
    return [
      `it refuses the sign-in (${reason})`,
      "compare the token's issuer, audience and expiry with sasl.oauthbearer.expected.issuer and .audience of the broker: see KAFKA_OAUTH_AUDIENCE",
    ];
  return [
    `it refuses the connection or the sign-in (${reason})`,
    `see KAFKA_SASL_MECHANISM (${kafka.saslMechanism}) and its user, password or token, and that the listener takes it`,
  ];
};

/** A broker's check, and what it says of its cluster; nothing where it could not be asked. */
export type BrokerAnswer = {
  broker: string;
  check: Check;
  clusterId: string | null;
  advertised: readonly string[];
};

const signIn = async (
  config: Config,
  broker: string,
  access: KafkaAccess,
  bounds: Bounds,
): Promise<BrokerAnswer> => {
  const name = `broker ${broker}`;
  const refused = (check: Check): BrokerAnswer => ({ broker, check, clusterId: null, advertised: [] });
  const hindered = await obstacle(config, broker, bounds);
  if (hindered?.status === "fail") return refused(hindered);
  const { newClient } = access.servicesFor([broker]);
  try {
    const asked = askOneBroker(newClient, bounds.clock);
    const described = await bounds.clock.within(SIGN_IN_MS, bounds.signal, asked);
    const how = config.kafka.saslMechanism === undefined ? "answers" : "answers, and accepts the sign-in";
    return { broker, check: hindered ?? ok(name, how), ...described };
  } catch (error) {
    bounds.signal.throwIfAborted();
    return refused(fail(name, ...signInFault(config, error)));
  }
};

/** Asks each broker of KAFKA_BROKERS by itself, as a client does that knows only this one. */
export const askBrokers = (config: Config, access: KafkaAccess, bounds: Bounds): Promise<BrokerAnswer[]> =>
  Promise.all(config.kafka.brokers.map((broker) => signIn(config, broker, access, bounds)));

/** Refuses brokers of another cluster than that of the first one that answers. */
export const ofOneCluster = (answers: readonly BrokerAnswer[]): BrokerAnswer[] => {
  const first = answers.find(({ clusterId }) => clusterId !== null);
  return answers.map((answer) => {
    const { broker, clusterId } = answer;
    if (first === undefined || clusterId === null || clusterId === first.clusterId) return answer;
    const detail = `it belongs to another cluster (${clusterId}) than ${first.broker} (${first.clusterId}): each client would use one of them by chance`;
    const remedy = "name the brokers of one cluster in KAFKA_BROKERS, and run `setup` only then";
    return { broker, clusterId, advertised: [], check: fail(`broker ${broker}`, detail, remedy) };
  });
};

const checkOther = async (config: Config, broker: string, bounds: Bounds): Promise<Check[]> => {
  const found = await obstacle(config, broker, bounds);
  if (found?.status !== "fail") return found ? [found] : [];
  const remedy = "correct advertised.listeners of that broker, or let this machine resolve and reach it";
  return [fail(`broker ${broker}`, `the cluster sends clients to it, and ${found.detail}`, remedy)];
};

/** Checks the advertised brokers that KAFKA_BROKERS does not name: clients are sent on to them. */
export const checkAdvertised = async (
  config: Config,
  asked: readonly BrokerAnswer[],
  bounds: Bounds,
): Promise<Check[]> => {
  const { brokers } = config.kafka;
  const others = new Set(
    asked.flatMap(({ advertised }) => advertised).filter((one) => !brokers.includes(one)),
  );
  return (await Promise.all([...others].map((broker) => checkOther(config, broker, bounds)))).flat();
};
