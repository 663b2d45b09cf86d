import { createHmac, randomBytes } from "node:crypto";

/** @typedef {{ path: string, secret: string, signatureHeader: string }} Target */

/** @param {string} body @param {string} signature @param {Target} target */
const request = (body, signature, { path, signatureHeader }) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
      `${signatureHeader}: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    "latin1",
  );

/** @param {string} body @param {Target} target */
const signatureOf = (body, { secret }) => createHmac("sha256", secret).update(body).digest("hex");

/** @param {string} transactionId @param {string} status @param {string} createdAt */
const bodyOf = (transactionId, status, createdAt) =>
  `{"transactionId":"${transactionId}","status":"${status}","createdAt":"${createdAt}","eventType":"TRANSACTION_STATUS_UPDATED"}`;

/**
 * Signed POST requests with a new transactionId each, as bytes for a socket. They are made before a measurement begins, so that it does
 * not pay for them.
 * @param {number} count
 * @param {Target} target
 * @returns {Buffer[]}
 */
export function signedRequests(count, target) {
  const run = randomBytes(6).toString("hex");
  const createdAt = new Date().toISOString();
  return Array.from({ length: count }, (_, i) => {
    const body = bodyOf(`${run}-${String(i).padStart(10, "0")}`, "PAYMENT_CONFIRMED", createdAt);
    return request(body, signatureOf(body, target), target);
  });
}
