import type { Component } from "../ops/health.ts";

/** A part of the running process, as health, metrics and shutdown see it. */
export type Part = {
  components: () => Record<string, Component>;
  /** Records that wait for Kafka, by topic. */
  waiting: () => Record<string, number>;
  /** Lets what is under way finish for `drainMs` at most, then closes everything. */
  stop: (drainMs: number) => Promise<void>;
};
