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

/** Numbers that are read at the moment of a scrape, where they live. */
export type Gauges = {
  publisherWaiting: () => Record<string, number>;
  kafkaUp: () => Record<string, boolean>;
  commands: () => CommandNumbers;
  /** Whether this replica is the one that reads the partner's log; null without that flow. */
  reconcileLeader: (() => boolean) | null;
};

/** Every metric there is. Labels take few values: never an id. */
export const createMetrics = (gauges: Gauges) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  const registers = [registry];

  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const gaugePer = <L extends string>(
    name: string,
    help: string,
    label: L,
    read: () => Record<string, number>,
  ) =>
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers,
      labelNames: [label],
      collect() {
        for (const [value, number] of Object.entries(read()))
          this.set({ [label]: value } as Record<L, string>, number);
      },
    });

  gaugePer(
    "publisher_waiting_records",
    "Records waiting for Kafka's acknowledgement",
    "topic",
    gauges.publisherWaiting,
  );
  gaugePer("kafka_up", "1 when the connection for a purpose works, else 0", "component", () =>
    Object.fromEntries(Object.entries(gauges.kafkaUp()).map(([name, up]) => [name, up ? 1 : 0])),
  );
  gauge("commands_unfinished", "Commands taken up and not finished", () => gauges.commands().unfinished);
  gauge("commands_in_flight", "Commands being executed", () => gauges.commands().inFlight);
  gauge("commands_in_doubt", "Commands IN_DOUBT that nobody has ended yet", () => gauges.commands().doubts);
  gauge(
    "commands_oldest_doubt_seconds",
    "Age of the oldest IN_DOUBT",
    () => gauges.commands().oldestDoubtSeconds,
  );
  const { reconcileLeader } = gauges;
  if (reconcileLeader)
    gauge("reconcile_leader", "1 when this replica reads the partner's log, else 0", () =>
      reconcileLeader() ? 1 : 0,
    );
  const reconcileCompleteAt = new Gauge({
    name: `${PREFIX}reconcile_last_complete_timestamp_seconds`,
    help: "When this replica's last complete run over the partner's log ended; absent before the first",
    registers,
  });
  reconcileCompleteAt.remove();

  return {
    registry,
    reconcileCompleteAt,
    reconcileRuns: new Counter({
      name: `${PREFIX}reconcile_runs_total`,
      help: "Runs over the partner's log by what they came to",
      labelNames: ["result"],
      registers,
    }),
    reconcileNotifications: new Counter({
      name: `${PREFIX}reconcile_notifications_total`,
      help: "Notifications of the partner's log by what became of them; known ones count again in each run",
      labelNames: ["kind"],
      registers,
    }),
    webhookRequests: new Counter({
      name: `${PREFIX}webhook_requests_total`,
      help: "Requests to the webhook route by the status of the answer",
      labelNames: ["code"],
      registers,
    }),
    webhookSeconds: new Histogram({
      name: `${PREFIX}webhook_ack_seconds`,
      help: "From the arrival of a webhook to its 2xx",
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    publishSeconds: new Histogram({
      name: `${PREFIX}publish_seconds`,
      help: "From handing a record over to its acknowledgement by Kafka",
      labelNames: ["topic"],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    duplicates: new Counter({
      name: `${PREFIX}webhook_duplicates_total`,
      help: "Notifications whose event was published already",
      registers,
    }),
    outOfOrder: new Counter({
      name: `${PREFIX}webhook_out_of_order_total`,
      help: "Events published after one that happened later",
      registers,
    }),
    deadLetters: new Counter({
      name: `${PREFIX}dead_letters_total`,
      help: "Records written to the dead-letter topic",
      labelNames: ["source", "reason"],
      registers,
    }),
    results: new Counter({
      name: `${PREFIX}command_results_total`,
      help: "Results published",
      labelNames: ["operation", "outcome"],
      registers,
    }),
    contradictions: new Counter({
      name: `${PREFIX}command_contradictions_total`,
      help: "Ends of commands that say the opposite of the final result that stands, as met in the journal",
      registers,
    }),
    partnerCalls: new Counter({
      name: `${PREFIX}partner_calls_total`,
      help: "Calls to the partner by what the evidence says of them",
      labelNames: ["operation", "outcome"],
      registers,
    }),
    partnerSeconds: new Histogram({
      name: `${PREFIX}partner_call_seconds`,
      help: "Duration of calls to the partner",
      labelNames: ["operation"],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
