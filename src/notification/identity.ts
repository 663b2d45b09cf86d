import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, type Digest } from "../runtime/digest.ts";

/**
 * Equal for two copies of one notification: the digest of transaction, status and instant, in
 * whatever format createdAt is. Uses the text of createdAt where it is no instant. The eventId is another
 * digest, of the texts alone.
 */
export const identityOf = ({
  transactionId,
  status,
  createdAt,
  occurredAt,
}: Pick<TransactionStatusUpdated, "transactionId" | "status" | "createdAt" | "occurredAt">): Digest =>
  digestOf(`${transactionId}\n${status}\n${occurredAt ?? `text ${createdAt}`}`);
