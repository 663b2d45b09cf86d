import type { Config } from "../../config/config.ts";
import type { SetupOptions } from "../cluster/setup.ts";
import type { TopicDemands } from "../cluster/topic-rules.ts";
import { DEAD_LETTER_MARGIN_BYTES, RECORD_MARGIN_BYTES } from "../cluster/topics.ts";
import type { LargestRecord, TopicRole } from "../cluster/topics.ts";

type Flow = Config["bridge"]["flows"][number];

/** Estimates the largest records of each topic. A larger event becomes a dead letter, or is said in the report. */
export const largestRecordsFor = ({ webhook, partner }: Config, flows: readonly Flow[]): LargestRecord[] => {
  const eventBound = {
    bytes: webhook.maxBodyBytes + RECORD_MARGIN_BYTES,
    setting: `WEBHOOK_MAX_BODY_BYTES=${webhook.maxBodyBytes}`,
  };
  const resultBound = {
    bytes: partner.maxResponseBytes + RECORD_MARGIN_BYTES,
    setting: `PARTNER_MAX_RESPONSE_BYTES=${partner.maxResponseBytes}`,
  };
  // A contradicting result becomes a dead letter.
  const letterBound = { ...resultBound, bytes: resultBound.bytes + DEAD_LETTER_MARGIN_BYTES };
  const written: (LargestRecord & { by: readonly Flow[] })[] = [
    { by: ["webhooks", "reconcile"], role: "transactionStatus", ...eventBound },
    { by: ["webhooks"], role: "deadLetters", ...eventBound },
    { by: ["commands"], role: "journal", ...resultBound },
    { by: ["commands"], role: "results", ...resultBound },
    { by: ["commands"], role: "deadLetters", ...letterBound },
  ];
  return written.filter(({ by }) => by.some((flow) => flows.includes(flow)));
};

export const usedTopics = ({ bridge }: Config): TopicRole[] => [
  ...(bridge.flows.some((flow) => flow !== "commands") ? (["transactionStatus"] as const) : []),
  ...(bridge.flows.includes("commands") ? (["commands", "results", "journal"] as const) : []),
  ...(bridge.flows.some((flow) => flow !== "webhooks") ? (["control"] as const) : []),
  "deadLetters",
];

export const topicDemands = (config: Config): TopicDemands => ({
  names: config.topics,
  used: usedTopics(config),
  largestRecords: largestRecordsFor(config, config.bridge.flows),
  lookbackMs: config.bridge.flows.includes("reconcile") ? config.reconcile.lookbackMs : null,
});

export const setupOptions = (config: Config, dryRun: boolean): SetupOptions => {
  const { partitions, replicationFactor, ...names } = config.topics;
  return { names, partitions, replicationFactor, dryRun };
};
