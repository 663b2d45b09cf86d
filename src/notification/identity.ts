import { hash } from "node:crypto";
import type { TransactionStatusUpdated } from "../records.ts";

/**
 * What two notifications have in common when they are one: transaction, status and instant, however that is spelled; where no instant can be read,
 * the text. A digest in hex. (The event's id is made of the texts alone.)
 */
export const identityOf = ({
  transactionId,
  status,
  createdAt,
  occurredAt,
}: Pick<TransactionStatusUpdated, "transactionId" | "status" | "createdAt" | "occurredAt">): string =>
  hash("sha256", `${transactionId}\n${status}\n${occurredAt ?? `text ${createdAt}`}`, "hex");
