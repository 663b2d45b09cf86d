import { tlsMaterial } from "../bridge/pem.ts";
import { createServices, type Services } from "../bridge/services.ts";
import type { Config } from "../config/config.ts";
import { probeProtocol, type ProbeResult } from "../kafka/cluster/protocol-probe.ts";
import { connectFor } from "../partner/connection/connect.ts";
import type { Log } from "../runtime/log.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { expiresSoon, reach, type Target } from "./connection.ts";

const GREETING_MS = 3_000;
const SIGN_IN_MS = 6_000;

/** Services that know only these brokers. */
export const servicesFor = (
  config: Config,
  brokers: readonly string[],
  log: Log,
  { clock }: Bounds,
): Services => createServices({ ...config, kafka: { ...config.kafka, brokers } }, clock, log);

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
    "see its log for the listener of that port, and whether it wants a client certificate (KAFKA_TLS_CERT_FILE)",
  ],
  nothing: [
    "it accepts the connection and answers nothing: it is frozen or overloaded, or not Kafka",
    "check that broker; clients use the others while they answer",
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
  if (!config.kafka.tls && (spoken === "closed" || spoken === "other")) {
    const overTls = await reach(targetOf(config, broker, true), bounds);
    // A certificate error proves TLS, too.
    if (overTls.ok || (!overTls.notTls && /certificate/.test(overTls.detail))) spoken = "tls";
  }
  if (spoken !== "kafka") return fail(name, ...NOT_KAFKA[spoken]);
  const soon = expiresSoon(reached.expiresMs, bounds.clock);
  return soon === null ? null : warn(name, soon, "have it renewed before clients refuse it");
};

const remedyOfSignIn = (config: Config): string =>
  config.kafka.saslMechanism === undefined
    ? "see whether that listener wants a sign-in (KAFKA_SASL_MECHANISM) or a client certificate (KAFKA_TLS_CERT_FILE)"
    : `see KAFKA_SASL_MECHANISM (${config.kafka.saslMechanism}) and its user, password or token, and that the listener takes it`;

/** A broker's check, and the addresses that it advertises; none where it could not be asked. */
export type BrokerAnswer = { broker: string; check: Check; advertised: readonly string[] };

const signIn = async (config: Config, broker: string, log: Log, bounds: Bounds): Promise<BrokerAnswer> => {
  const name = `broker ${broker}`;
  const hindered = await obstacle(config, broker, bounds);
  if (hindered?.status === "fail") return { broker, check: hindered, advertised: [] };
  const services = servicesFor(config, [broker], log, bounds);
  try {
    return await bounds.clock.withDeadline(SIGN_IN_MS, bounds.signal, async () => {
      const cluster = await services.connectCluster();
      const advertised = await cluster.brokers();
      void cluster.close();
      const how = config.kafka.saslMechanism === undefined ? "answers" : "answers, and accepts the sign-in";
      return { broker, check: hindered ?? ok(name, how), advertised };
    });
  } catch (error) {
    bounds.signal.throwIfAborted();
    const check = fail(
      name,
      `it refuses the connection or the sign-in (${messageOf(error)})`,
      remedyOfSignIn(config),
    );
    return { broker, check, advertised: [] };
  } finally {
    services.close();
  }
};

/** Asks each broker of KAFKA_BROKERS by itself, as a client does that knows only this one. */
export const askBrokers = (config: Config, log: Log, bounds: Bounds): Promise<BrokerAnswer[]> =>
  Promise.all(config.kafka.brokers.map((broker) => signIn(config, broker, log, bounds)));

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
