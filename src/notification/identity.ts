import { hash } from "node:crypto";
import type { TransactionStatusUpdated } from "../records.ts";

/**
 * Equal for two copies of one notification: the SHA-256 digest (hex) of transaction, status and instant, in
 * whatever format createdAt is. Uses the text of createdAt where it is no instant. The eventId is another
 * digest, of the texts alone.
 */
export const identityOf = ({
  transactionId,
  status,
  createdAt,
  occurredAt,
}: Pick<TransactionStatusUpdated, "transactionId" | "status" | "createdAt" | "occurredAt">): string =>
  hash("sha256", `${transactionId}\n${status}\n${occurredAt ?? `text ${createdAt}`}`, "hex");
