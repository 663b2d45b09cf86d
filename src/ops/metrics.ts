import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

const PREFIX = "cambio_bridge_";
/** Seconds. */
const LATENCY_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type CommandNumbers = {
  unfinished: number;
  inFlight: number;
  /** Commands that are IN_DOUBT, and since when the oldest is: seconds. */
  doubts: number;
  oldestDoubtSeconds: number;
};

/** By partition: the number of unfinished commands, and the age of the oldest one. Null: unknown. */
export type CommandsLag = ReadonlyMap<number, { records: number; seconds: number | null }>;

export type Gauges = {
  publisherWaiting: () => Record<string, number>;
  kafkaUp: () => Record<string, boolean>;
  commands: () => CommandNumbers;
  commandsLag: () => CommandsLag;
  /** Whether this replica is the leader of the reconcile flow; null when it does not run that flow. */
  reconcileLeader: (() => boolean) | null;
  paused: () => Record<string, boolean>;
};

export const NO_COMMANDS: CommandNumbers = { unfinished: 0, inFlight: 0, doubts: 0, oldestDoubtSeconds: 0 };

const numbers = (flags: Readonly<Record<string, boolean>> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(flags).map(([name, yes]) => [name, Number(yes)]));

/** Defines every metric. Labels take few values: never an id. */
export const createMetrics = (gauges: Partial<Gauges> = {}) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: PREFIX });

  const common = (name: string, help: string) => ({ name: `${PREFIX}${name}`, help, registers: [registry] });

  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ ...common(name, help), labelNames });
  const histogram = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Histogram({ ...common(name, help), labelNames, buckets: LATENCY_BUCKETS });
  /** Read at each scrape. @param label what the numbers are of; without it there is one number */
  const gauge = (name: string, help: string, read: () => number | Record<string, number>, label?: string) =>
    new Gauge({
      ...common(name, help),
      labelNames: label === undefined ? [] : [label],
      collect() {
        // Otherwise a label value that is gone, such as a partition, would be exported forever.
        this.reset();
        const values = read();
        if (label === undefined || typeof values === "number") this.set(Number(values));
        else for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number);
      },
    });

  const waiting = "Records that wait for Kafka's acknowledgement";
  gauge("publisher_waiting_records", waiting, () => gauges.publisherWaiting?.() ?? {}, "topic");
  const up = "1 while the component's connection to Kafka works, else 0";
  gauge("kafka_up", up, () => numbers(gauges.kafkaUp?.()), "component");
  const ofCommands = (name: string, help: string, of: keyof CommandNumbers) =>
    gauge(`commands_${name}`, help, () => (gauges.commands?.() ?? NO_COMMANDS)[of]);
  ofCommands("unfinished", "Commands that were read and are not finished", "unfinished");
  ofCommands("in_flight", "Commands that are being executed", "inFlight");
  ofCommands("in_doubt", "Open doubts", "doubts");
  ofCommands("oldest_doubt_seconds", "Age of the oldest open doubt", "oldestDoubtSeconds");
  const lagPer = (name: string, help: string, of: "records" | "seconds") => {
    const read = (): Record<string, number> => {
      const lags = [...(gauges.commandsLag?.() ?? [])].map(
        ([partition, lag]) => [partition, lag[of]] as const,
      );
      return Object.fromEntries(lags.filter((entry): entry is [number, number] => entry[1] !== null));
    };
    gauge(`commands_lag_${name}`, help, read, "partition");
  };
  lagPer("records", "Unfinished commands of a partition that this replica holds", "records");
  lagPer("seconds", "Age of the oldest unfinished command of the partition; 0 when there is none", "seconds");
  gauge("paused", "1 while the flow is paused, else 0", () => numbers(gauges.paused?.()), "flow");
  const { reconcileLeader = () => false } = gauges;
  const leader = "1 while this replica is the leader of reconcile, else 0";
  if (reconcileLeader) gauge("reconcile_leader", leader, () => Number(reconcileLeader()));
  const reconcileCompleteAt = new Gauge(
    common(
      "reconcile_last_complete_timestamp_seconds",
      "End of the last complete reconcile run that this replica knows of; absent when it knows of none",
    ),
  );
  reconcileCompleteAt.remove();

  return {
    registry,
    reconcileCompleteAt,
    reconcileRuns: counter("reconcile_runs_total", "Reconcile runs by result", "result"),
    reconcileNotifications: counter(
      "reconcile_notifications_total",
      "Notifications in the partner's log by kind; known ones count again in each run",
      "kind",
    ),
    webhookRequests: counter(
      "webhook_requests_total",
      "Requests to the webhook route by HTTP status of the answer",
      "code",
    ),
    webhookSeconds: histogram("webhook_ack_seconds", "From the arrival of a webhook to its 2xx"),
    publishSeconds: histogram(
      "publish_seconds",
      "From handing over a record to its acknowledgement by Kafka",
      "topic",
    ),
    duplicates: counter("webhook_duplicates_total", "Notifications whose event had been published before"),
    outOfOrder: counter(
      "webhook_out_of_order_total",
      "Events published after a later status of their transaction",
    ),
    deadLetters: counter(
      "dead_letters_total",
      "Records written to the dead-letter topic",
      "source",
      "reason",
    ),
    results: counter("command_results_total", "Results published", "operation", "outcome"),
    contradictions: counter(
      "command_contradictions_total",
      "Conclusions in the journal that contradict the command's final result",
    ),
    partnerCalls: counter(
      "partner_calls_total",
      "Calls to the partner by what their evidence proves",
      "operation",
      "outcome",
    ),
    fieldsMissing: counter(
      "fields_missing_total",
      "Answers 2xx and events in which a field was missing that PARTNER_RESULT_FIELDS or PARTNER_EVENT_FIELDS names",
      "kind",
      "field",
    ),
    partnerSeconds: histogram("partner_call_seconds", "Duration of calls to the partner", "operation"),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
