import { Kafka, logLevel, type LogEntry, type Mechanism, type SASLOptions } from "kafkajs";
import type { Log } from "../runtime/log.ts";
import { readAllCompressions } from "./compression.ts";
import { takePartitionsWithoutLeader } from "./kafkajs-fixes/metadata-response.ts";
import { checkBatches } from "./kafkajs-fixes/checked-batches.ts";
import { leaveOutAborted } from "./kafkajs-fixes/aborted-records.ts";
import { readWholeHeaders } from "./kafkajs-fixes/whole-headers.ts";
import { sendPreparedMessages } from "./kafkajs-fixes/prepared-batches.ts";
import { keepAcknowledgements } from "./kafkajs-fixes/partial-acknowledgements.ts";
import { keepTopicRefusals } from "./kafkajs-fixes/topic-refusals.ts";
import { stopIdleTimers } from "./kafkajs-fixes/idle-timers.ts";

type KafkaOptions = {
  brokers: readonly string[];
  clientId: string;
  /** PEM; false: without TLS. */
  tls: Record<"ca" | "cert" | "key", string | undefined> | false;
  sasl: SaslOf | null;
};

/** Called for each new client, so that a rotated password is used. */
export type SaslOf = () => SASLOptions | Mechanism;

/** Makes a client that shares nothing with others: a broken client is replaced, not repaired. */
export type NewClient = () => Kafka;

/** kafkajs's default of 1 s is too short for TLS to a distant broker. */
const CONNECTION_TIMEOUT_MS = 4_000;
/** With kafkajs's default of 30 s it would take that long to notice a broker that has stopped answering. */
const REQUEST_TIMEOUT_MS = 8_000;

/** kafkajs's 10 s can exceed a session: then every request authenticates, and brokers refuse that within a second. */
const REAUTHENTICATE_BEFORE_MS = 2_000;

export const newClient = ({ brokers, clientId, tls, sasl }: KafkaOptions, log: Log): NewClient => {
  readWholeHeaders();
  checkBatches();
  leaveOutAborted();
  sendPreparedMessages();
  keepAcknowledgements();
  keepTopicRefusals();
  takePartitionsWithoutLeader();
  stopIdleTimers();
  // kafkajs logs every failed attempt. Callers retry and log what follows: its own lines are for debugging.
  const debug = ({ namespace, log: { message, error } }: LogEntry): void =>
    log.debug({ namespace, detail: message, error: error as unknown }, "kafka.client");
  let clients = Math.floor(Math.random() * brokers.length);
  return () => {
    readAllCompressions();
    // kafkajs connects to the first broker: each client gets another, lest a frozen one stop all of them.
    const first = clients++ % brokers.length;
    return new Kafka({
      brokers: [...brokers.slice(first), ...brokers.slice(0, first)],
      clientId,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      reauthenticationThreshold: REAUTHENTICATE_BEFORE_MS,
      ssl: tls,
      ...(sasl && { sasl: sasl() }),
      retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
      logLevel: logLevel.INFO,
      logCreator: () => debug,
    });
  };
};
