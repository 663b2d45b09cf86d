/**
 * The message of a thrown value, followed by the messages of its causes where they are not part of it
 * already.
 */
export const messageOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? "" : messageOf(thrown.cause);
  return cause === "" || thrown.message.includes(cause) ? thrown.message : `${thrown.message} (${cause})`;
};

/** The program was called or configured wrongly. The message is one sentence that says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Something that the program needs, such as Kafka, did not answer. */
export class OutageError extends UsageError {}

/** Whether the program itself threw the error by mistake: nothing outside of it causes these. */
export const isBug = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
