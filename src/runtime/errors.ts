/** The message of a thrown value, followed by the messages of its causes where they are not part of it already. */
export const messageOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? "" : messageOf(thrown.cause);
  return cause === "" || thrown.message.includes(cause) ? thrown.message : `${thrown.message} (${cause})`;
};

/** The program was called or configured wrongly. The message is one sentence that says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Kafka or the registry failed. The message says what to check; the same call may succeed later. */
export class OutageError extends UsageError {}

/** Node.js says only in the message that the connection was cut before TLS began. */
export const isCutOffBeforeTls = ({ message }: Error): boolean =>
  /before secure TLS|socket hang up/.test(message);

/** Whether the program itself threw the error by mistake: nothing outside of it causes these. */
export const isBug = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
