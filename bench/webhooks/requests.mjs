import { createHmac, randomBytes } from "node:crypto";

/** @typedef {{ path: string, secret: string, signatureHeader: string }} Target */

/**
 * So many signed POST requests, each with a transactionId that never occurred before, ready to be written to a socket. They are
 * made before a measurement begins, so that making them costs it nothing.
 * @param {number} count
 * @param {Target} target
 * @returns {Buffer[]}
 */
export function signedRequests(count, { path, secret, signatureHeader }) {
  const run = randomBytes(6).toString("hex");
  const createdAt = new Date().toISOString();
  return Array.from({ length: count }, (_, i) => {
    const transactionId = `${run}-${String(i).padStart(10, "0")}`;
    const body = `{"transactionId":"${transactionId}","status":"PAYMENT_CONFIRMED","createdAt":"${createdAt}","eventType":"TRANSACTION_STATUS_UPDATED"}`;
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
        `${signatureHeader}: ${signature}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      "latin1",
    );
  });
}
