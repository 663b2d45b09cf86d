import { createServices, type Services } from "../services/services.ts";
import { signInOf, type SignIn } from "../services/sign-in.ts";
import type { Config } from "../config/config.ts";
import type { Log } from "../runtime/log.ts";
import type { Bounds } from "./check.ts";

/** Asks Kafka with one source of tokens for all checks. */
export type KafkaAccess = {
  signIn: SignIn;
  /** Services that know only these brokers, and no registry: its address may be missing. */
  servicesFor: (brokers: readonly string[]) => Services;
  close: () => void;
};

const NO_REGISTRY = "http://registry.invalid";

/** Throws a UsageError as `signInOf` does. */
export const openAccess = (config: Config, log: Log, { clock }: Bounds): KafkaAccess => {
  const signIn = signInOf(config, { clock, log, random: Math.random });
  const shared = { ...signIn, close: () => undefined };
  const registry = { ...config.registry, url: NO_REGISTRY };
  return {
    signIn,
    servicesFor: (brokers) =>
      createServices({ ...config, registry, kafka: { ...config.kafka, brokers } }, clock, log, shared),
    close: signIn.close,
  };
};

/** Services that know only the registry: it needs no settings of Kafka but those of its tokens. */
export const servicesOfRegistry = (config: Config, log: Log, { clock }: Bounds): Services => {
  const kafka = { ...config.kafka, brokers: [], tls: false, saslMechanism: undefined };
  return createServices({ ...config, kafka }, clock, log);
};
