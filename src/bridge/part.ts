import type { Component } from "../ops/health.ts";

/** A part of the running process, as health, metrics and shutdown see it. */
export type Part = {
  components: () => Record<string, Component>;
  /** Records that wait for Kafka, by topic. */
  waiting: () => Record<string, number>;
  /** Gives up what is still under way and closes all connections. Bounded by whoever calls it: what is gone may never answer. */
  close: () => Promise<void>;
};
