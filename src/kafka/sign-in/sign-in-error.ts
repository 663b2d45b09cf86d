/** Somebody refused to authenticate this process. The message needs no context and holds no secret. */
export class SignInError extends Error {
  override readonly name = "SignInError";
}

const MAX_CHARACTERS = 400;

/** Text of another system, fit for a log: bounded, without control characters, our secrets and any token masked. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret !== "")
    // The longest first: one secret may contain another.
    .toSorted((one, other) => other.length - one.length)
    .reduce((masked, secret) => masked.replaceAll(secret, "[secret]"), text.slice(0, 16_384))
    // Any JWT: brokers quote the token that they refuse.
    .replace(/eyJ[\w-]*(\.[\w-]*)*/g, "[secret]")
    .replace(/[^\x20-\x7e\u00a0-\uffff]+/g, " ")
    .slice(0, MAX_CHARACTERS);

export const isSignInFailure = (error: unknown): boolean =>
  error instanceof SignInError ||
  (error instanceof Error &&
    (error.name === "KafkaJSSASLAuthenticationError" || isSignInFailure(error.cause)));
