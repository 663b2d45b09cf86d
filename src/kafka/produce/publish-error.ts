/**
 * Why a record was not written.
 * - `timeout`: its deadline passed, or its only send failed; it may have been written, or may yet be
 * - `overloaded`: too many records are pending; it was not written
 * - `closed`: the publisher is shutting down; it was not written
 * - `refused`: Kafka will never accept this record: it is too large
 * - `invalid`: it breaks a rule of its topic; it was not written
 * - `unavailable`: its partition takes no records now; it was not written
 */
export class PublishError extends Error {
  override readonly name = "PublishError";
  readonly code: "timeout" | "overloaded" | "closed" | "refused" | "invalid" | "unavailable";
  constructor(code: PublishError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** A retry does not help; a smaller record may be accepted. */
export const isRefused = (error: unknown): boolean =>
  error instanceof PublishError && error.code === "refused";
