import type { Config } from "../config/config.ts";
import {
  DEAD_LETTER_MARGIN_BYTES,
  RECORD_MARGIN_BYTES,
  type LargestRecord,
} from "../kafka/cluster/topics.ts";

type Flow = Config["bridge"]["flows"][number];

const largestRecordsByFlow = ({ webhook, partner }: Config): Record<Flow, LargestRecord[]> => {
  const event = webhook.maxBodyBytes + RECORD_MARGIN_BYTES;
  const result = partner.maxResponseBytes + RECORD_MARGIN_BYTES;
  const ofWebhooks = `WEBHOOK_MAX_BODY_BYTES=${webhook.maxBodyBytes}`;
  const ofCommands = `PARTNER_MAX_RESPONSE_BYTES=${partner.maxResponseBytes}`;
  const events: LargestRecord = { role: "transactionStatus", bytes: event, setting: ofWebhooks };
  return {
    webhooks: [events, { role: "deadLetters", bytes: event, setting: ofWebhooks }],
    commands: [
      { role: "journal", bytes: result, setting: ofCommands },
      { role: "results", bytes: result, setting: ofCommands },
      // A contradicting result becomes a dead letter.
      { role: "deadLetters", bytes: result + DEAD_LETTER_MARGIN_BYTES, setting: ofCommands },
    ],
    // A larger notification is not published; the report of the run says so.
    reconcile: [events],
  };
};

/**
 * The largest records that the settings let these flows write to each topic. An estimate for events, which
 * repeat parts of their payload: if an event is too large, its notification becomes a dead letter.
 */
export const largestRecordsFor = (
  config: Config,
  flows: readonly Flow[] = ["webhooks", "commands", "reconcile"],
): LargestRecord[] => {
  const sizes = largestRecordsByFlow(config);
  return [...new Set(flows.flatMap((flow) => sizes[flow]))];
};
