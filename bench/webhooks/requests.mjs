import { createHmac, randomBytes } from "node:crypto";

/** @typedef {{ path: string, secret: string, signatureHeader: string }} Target */

/** How many of a hundred mixed requests are no new events. */
export const MIX = { repeated: 4, later: 3, wronglySigned: 2, notUnderstood: 1 };

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

/**
 * Requests by the shares of {@link MIX}.
 * @param {number} count
 * @param {Target} target
 * @returns {Buffer[]}
 */
export function mixedRequests(count, target) {
  const run = randomBytes(6).toString("hex");
  const createdAt = new Date().toISOString();
  const idOf = (/** @type {number} */ i) => `${run}-${String(i).padStart(10, "0")}`;
  const { repeated, later, wronglySigned, notUnderstood } = MIX;
  /** How many requests before a repetition or a later status its first one was. */
  const BACK = 50;
  return Array.from({ length: count }, (_, i) => {
    const kind = i % 100;
    let body = bodyOf(idOf(i), "PAYMENT_CONFIRMED", createdAt);
    if (kind < repeated) body = bodyOf(idOf(i - BACK), "PAYMENT_CONFIRMED", createdAt);
    else if (kind < repeated + later) body = bodyOf(idOf(i - BACK), "COMPLETED", createdAt);
    else if (kind < repeated + later + notUnderstood) body = `{"status":"${idOf(i)}"}`;
    const isForged = kind >= 100 - wronglySigned;
    return request(body, isForged ? "0".repeat(64) : signatureOf(body, target), target);
  });
}
