/** The message of whatever was thrown, with the messages of its causes that add something. */
export const messageOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? "" : messageOf(thrown.cause);
  return cause === "" || thrown.message.includes(cause) ? thrown.message : `${thrown.message} (${cause})`;
};

/** A mistake in how the program was called or set up. Its message is one sentence that says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
