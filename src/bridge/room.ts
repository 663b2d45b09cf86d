import type { Config } from "../config/config.ts";
import {
  DEAD_LETTER_MARGIN_BYTES,
  RECORD_MARGIN_BYTES,
  type LargestRecord,
} from "../kafka/cluster/topics.ts";

type Flow = Config["bridge"]["flows"][number];

const roomByFlow = ({ webhook, partner }: Config): Record<Flow, LargestRecord[]> => {
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
      // A result that contradicts another one becomes a dead letter.
      { role: "deadLetters", bytes: result + DEAD_LETTER_MARGIN_BYTES, setting: ofCommands },
    ],
    // A larger notification is not published, which the run says.
    reconcile: [events],
  };
};

/**
 * The largest records that the settings let these flows write to each topic. An event repeats parts of its payload, mostly short ones; where it is
 * refused all the same, its notification becomes a dead letter.
 */
export const roomFor = (config: Config, flows: readonly Flow[]): LargestRecord[] => {
  const room = roomByFlow(config);
  return [...new Set(flows.flatMap((flow) => room[flow]))];
};

/** For topics that any flow may write to. */
export const roomForAll = (config: Config): LargestRecord[] => [
  ...new Set(Object.values(roomByFlow(config)).flat()),
];
