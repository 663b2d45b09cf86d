import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

const PREFIX = "cambio_bridge_";
/** Seconds. */
const LATENCY_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** By partition: the number of unfinished commands, and the age of the oldest one. Null: unknown. */
export type CommandsLag = ReadonlyMap<number, { records: number; seconds: number | null }>;

/** Values by label. A value that is null is not known, and not exported. */
type Labelled = Readonly<Record<string, number | boolean | null>>;

/** What is read at each scrape. */
type Gauges = {
  publisherWaiting: () => Labelled;
  kafkaUp: () => Labelled;
  commands: () => typeof NO_COMMANDS;
  commandsLag: () => CommandsLag;
  /** Whether this replica is the leader of the reconcile flow; null when it does not run that flow. */
  reconcileLeader: (() => boolean) | null;
  paused: () => Labelled;
};

/** `doubts`: the commands that are IN_DOUBT. `oldestDoubtSeconds`: since when the oldest one is. */
export const NO_COMMANDS = { unfinished: 0, inFlight: 0, doubts: 0, oldestDoubtSeconds: 0 };

const none = () => ({});

/** Defines every metric. Labels take few values: never an id. */
export const createMetrics = (gauges: Partial<Gauges> = {}) => {
  const { publisherWaiting = none, kafkaUp = none, paused = none, reconcileLeader = () => false } = gauges;
  const { commands = () => NO_COMMANDS, commandsLag = () => new Map() as CommandsLag } = gauges;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: PREFIX });

  const common = (name: string, help: string) => ({ name: `${PREFIX}${name}`, help, registers: [registry] });

  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ ...common(name, help), labelNames });
  const histogram = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Histogram({ ...common(name, help), labelNames, buckets: LATENCY_BUCKETS });
  const gauge = (name: string, help: string, read: () => number | boolean) =>
    new Gauge({
      ...common(name, help),
      collect() {
        this.set(Number(read()));
      },
    });
  const gaugeBy = (label: string, name: string, help: string, read: () => Labelled) =>
    new Gauge({
      ...common(name, help),
      labelNames: [label],
      collect() {
        // Otherwise a label value that is gone, such as a partition, would be exported forever.
        this.reset();
        for (const [value, number] of Object.entries(read()))
          if (number !== null) this.set({ [label]: value }, Number(number));
      },
    });
  const lag = (unit: "records" | "seconds") => () =>
    Object.fromEntries([...commandsLag()].map(([partition, each]) => [partition, each[unit]]));

  gaugeBy("topic", "publisher_waiting_records", "Records that Kafka has not acknowledged", publisherWaiting);
  gaugeBy("component", "kafka_up", "1 while its connection to Kafka works, else 0", kafkaUp);
  gauge("commands_unfinished", "Commands that were read and are not finished", () => commands().unfinished);
  gauge("commands_in_flight", "Commands that are being executed", () => commands().inFlight);
  gauge("commands_in_doubt", "Open doubts", () => commands().doubts);
  gauge("commands_oldest_doubt_seconds", "Age of the oldest open doubt", () => commands().oldestDoubtSeconds);
  gaugeBy("partition", "commands_lag_records", "Unfinished commands that this replica holds", lag("records"));
  gaugeBy("partition", "commands_lag_seconds", "Age of the oldest of them; 0 for none", lag("seconds"));
  gaugeBy("flow", "paused", "1 while the flow is paused, else 0", paused);
  if (reconcileLeader) gauge("reconcile_leader", "1 while this replica leads, else 0", reconcileLeader);
  const reconcileCompleteAt = new Gauge(
    common("reconcile_last_complete_timestamp_seconds", "End of the last complete run, once one is known"),
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
    webhookRequests: counter("webhook_requests_total", "Requests to the webhook route by status", "code"),
    webhookSeconds: histogram("webhook_ack_seconds", "From the arrival of a webhook to its 2xx"),
    publishSeconds: histogram("publish_seconds", "Until Kafka has acknowledged a record", "topic"),
    duplicates: counter("webhook_duplicates_total", "Notifications whose event had been published before"),
    outOfOrder: counter("webhook_out_of_order_total", "Events after a later one of their transaction"),
    deadLetters: counter("dead_letters_total", "Dead letters written", "source", "reason"),
    results: counter("command_results_total", "Results published", "operation", "outcome"),
    contradictions: counter("command_contradictions_total", "Conclusions that contradict a final result"),
    partnerCalls: counter("partner_calls_total", "Calls by what evidence proves", "operation", "outcome"),
    fieldsMissing: counter(
      "fields_missing_total",
      "Answers 2xx and events without a field that PARTNER_RESULT_FIELDS or PARTNER_EVENT_FIELDS names",
      "kind",
      "field",
    ),
    partnerSeconds: histogram("partner_call_seconds", "Duration of calls to the partner", "operation"),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
