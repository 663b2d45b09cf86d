/** What a dead letter's reason means, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  UNREADABLE_COMMAND:
    "The record is no command: neither JSON nor Avro of a known schema. Its sender got a result, REJECTED. Have the sender send it anew under a new commandId; replay it only when what kept it from being read is gone, such as a schema that was not registered.",
  UNREADABLE_NOTIFICATION:
    "The notification is authentic, but was not understood, or its event was larger than the topic took. Replay it once the bridge understands it, or the topic takes it.",
  COMMAND_ID_REUSED:
    "The commandId was used before for another command. It was not executed. Have the sender send it under a new commandId; a replay would be refused again.",
  CONTRADICTING_ANSWER:
    "An answer of the partner came after a final result, and says the opposite of it. Look into it at once, at the partner's; it is no command and is never replayed.",
};

export const explainReason = (reason: string): string =>
  REASONS[reason] ?? "This version of the bridge does not know the reason. Look at the detail.";
