/**
 * Why a record was not written.
 * - `timeout`: its deadline passed; it may have been written, or still be
 * - `overloaded`: too much is waiting already; it was not written
 * - `closed`: the publisher is shutting down; it was not written
 * - `refused`: Kafka will never take this record
 */
export class PublishError extends Error {
  override readonly name = "PublishError";
  constructor(
    readonly code: "timeout" | "overloaded" | "closed" | "refused",
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Trying again changes nothing; a smaller record may be taken. */
export const isRefused = (error: unknown): boolean =>
  error instanceof PublishError && error.code === "refused";
