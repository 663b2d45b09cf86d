import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, type Digest } from "../runtime/digest.ts";

/** What the deduplication window keeps of an event. */
export type WindowEvent = Pick<TransactionStatusUpdated, "direction" | "occurredAt"> & {
  /** See {@link identityOf}. */
  identity: Digest;
  /** The digest of the transactionId. */
  transaction: Digest;
};

type Identified = Pick<TransactionStatusUpdated, "transactionId" | "status" | "createdAt" | "occurredAt">;

/**
 * Equal for two copies of one notification: the digest of transaction, status and instant, in whatever format
 * createdAt is. Uses the text of createdAt where it is no instant. The eventId is another digest, of the texts
 * alone.
 */
export const identityOf = ({ transactionId, status, createdAt, occurredAt }: Identified): Digest =>
  digestOf(`${transactionId}\n${status}\n${occurredAt ?? `text ${createdAt}`}`);

/** @param transaction the digest of the transactionId, where it is known already */
export const windowEventOf = (
  event: Identified & Pick<TransactionStatusUpdated, "direction">,
  transaction = digestOf(event.transactionId),
): WindowEvent => ({
  identity: identityOf(event),
  transaction,
  direction: event.direction,
  occurredAt: event.occurredAt,
});
