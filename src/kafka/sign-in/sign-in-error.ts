/** Kafka, the registry or a token endpoint did not let this process in. The message is complete, and holds no secret. */
export class SignInError extends Error {
  override readonly name = "SignInError";
}

/** Of what another side said no more is repeated. */
const MAX_CHARACTERS = 400;

/** What somebody else said, fit for a log: without secrets of ours, tokens, or anything but plain text, and bounded. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== "")
    // One may hold another.
    .toSorted((one, other) => other.length - one.length)
    .reduce((masked, secret) => masked.replaceAll(secret, "[secret]"), text.slice(0, 16_384))
    // Whatever looks like a signed token is one: brokers quote the token that they refuse.
    .replace(/eyJ[\w-]*(\.[\w-]*)*/g, "[secret]")
    .replace(/[^\x20-\x7e\u00a0-\uffff]+/g, " ")
    .slice(0, MAX_CHARACTERS);

/** Whether somebody said who this process is, or could not, and was not believed: by whichever mechanism. */
export const isSignInFailure = (error: unknown): boolean =>
  error instanceof SignInError ||
  (error instanceof Error &&
    (error.name === "KafkaJSSASLAuthenticationError" || isSignInFailure(error.cause)));
