import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const API_VERSIONS = 18;
const METADATA = 3;

/**
 * One request in Kafka's protocol: size, api key, api version, correlation id, client id, body.
 * @param {number} apiKey
 * @param {number} apiVersion
 * @param {Buffer} body
 */
function frame(apiKey, apiVersion, body) {
  const clientId = Buffer.from("probe");
  const head = Buffer.alloc(14);
  head.writeInt32BE(10 + clientId.length + body.length, 0);
  head.writeInt16BE(apiKey, 4);
  head.writeInt16BE(apiVersion, 6);
  head.writeInt32BE(apiKey, 8);
  head.writeInt16BE(clientId.length, 12);
  return Buffer.concat([head, clientId, body]);
}

/**
 * @param {import("node:net").Socket} socket
 * @param {Buffer} request
 * @returns {Promise<Buffer>} the response without its size and correlation id
 */
async function roundTrip(socket, request) {
  socket.write(request);
  let received = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk]);
    if (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) return received.subarray(8);
  }
  throw new Error("the connection was closed before the answer");
}

/**
 * Asks one broker, and no other, in Kafka's protocol.
 * @template T
 * @param {number} port on 127.0.0.1
 * @param {(ask: (apiKey: number, apiVersion: number, body: Buffer) => Promise<Buffer>) => Promise<T>} conversation `ask` gives the
 *   response without its size and correlation id
 * @param {number} [timeoutMs] of silence
 * @returns {Promise<T>}
 */
export async function askBroker(port, conversation, timeoutMs = 2_000) {
  const socket = connect(port, "127.0.0.1");
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  try {
    return await conversation((apiKey, apiVersion, body) =>
      roundTrip(socket, frame(apiKey, apiVersion, body)),
    );
  } finally {
    socket.destroy();
  }
}

/**
 * Asks a broker the two questions every client asks first.
 * @param {number} port on 127.0.0.1
 * @returns {Promise<number>} how many brokers it knows to be alive
 */
export const aliveBrokers = (port) =>
  askBroker(port, async (ask) => {
    const versions = await ask(API_VERSIONS, 0, Buffer.alloc(0));
    if (versions.readInt16BE(0) !== 0)
      throw new Error(`ApiVersions answered error ${versions.readInt16BE(0)}`);
    const noTopics = Buffer.alloc(4);
    const metadata = await ask(METADATA, 1, noTopics);
    return metadata.readInt32BE(0);
  });

/**
 * Tries until `attempt` returns true.
 * @param {{ what: string, process: import("../child.mjs").Child, withinMs: number, attempt: () => Promise<boolean> }} wait
 */
export async function untilReady({ what, process, withinMs, attempt }) {
  const deadline = Date.now() + withinMs;
  let reason = "it did not answer";
  while (process.isRunning() && Date.now() < deadline) {
    try {
      if (await attempt()) return;
      reason = "it answered, but was not ready";
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    await sleep(50);
  }
  const how = process.isRunning()
    ? `was not ready within ${withinMs / 1000} s (${reason})`
    : "ended while starting";
  throw new Error(`${what} ${how}; the end of its log:\n${await process.logTail()}`);
}
