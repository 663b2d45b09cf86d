/** The name that Kafka's protocol gives to an error, such as NOT_LEADER_FOR_PARTITION; empty when no broker said so. */
export const protocolErrorOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  return "type" in error && typeof error.type === "string" ? error.type : protocolErrorOf(error.cause);
};

/** Kafka will not take a batch or a record of this size, however often it is sent. */
export const isTooLarge = (error: unknown): boolean =>
  /^(MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE)$/.test(protocolErrorOf(error));
