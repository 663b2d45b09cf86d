import { hash } from "node:crypto";
import type { TransactionStatusUpdated } from "../records.ts";
import { digestOf, type Digest } from "../runtime/digest.ts";

const EVENT_ID_DIGITS = 32;

/** A digest of the notification's texts, in lower-case hex: the same on every replica and in both flows. */
export const eventIdOf = ({
  transactionId,
  status,
  createdAt,
}: Pick<TransactionStatusUpdated, "transactionId" | "status" | "createdAt">): string =>
  hash("sha256", `${transactionId}\n${status}\n${createdAt}`, "hex").slice(0, EVENT_ID_DIGITS);

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
 * createdAt is; of its text where it is no instant.
 */
export const identityOf = ({ transactionId, status, createdAt, occurredAt }: Identified): Digest =>
  digestOf(`${transactionId}\n${status}\n${occurredAt ?? `text ${createdAt}`}`);
