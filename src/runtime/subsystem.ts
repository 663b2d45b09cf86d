import type { Health, Traffic } from "./health.ts";

/** A component of readiness. `serves`: null where its trouble leaves the process ready. `note`: more, for people. */
export type Component = { health: Health; serves: Traffic | null; note?: string };

/** A part of the running process (a topic it writes or follows, a flow) as health, metrics and shutdown see it. */
export type Subsystem = {
  /** For the readiness report, by name. */
  components: () => Record<string, Component>;
  /** Number of records that wait to be sent to Kafka, by topic. */
  waiting: () => Record<string, number>;
  /** Abandons what is under way and closes all connections. May never resolve if Kafka is gone. */
  close: () => Promise<void>;
};
