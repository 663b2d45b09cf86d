import type { Socket } from "node:net";
import type { Clock } from "../../runtime/clock.ts";

/** Who answers on a connection: by the first bytes of its answer to the first words of a Kafka client. */
export type ProbeResult = "kafka" | "http" | "tls" | "other" | "closed" | "nothing";

/** Correlation id of the question, which Kafka's answer repeats. */
const CORRELATION = 0x63_61_6d_62;
const CLIENT = Buffer.from("cambio-bridge");

/** ApiVersions, version 0: the one request that every broker answers before anybody has signed in. */
const apiVersionsRequest = (): Buffer => {
  const head = Buffer.alloc(14);
  head.writeInt32BE(10 + CLIENT.length, 0);
  head.writeInt16BE(18, 4);
  head.writeInt16BE(0, 6);
  head.writeInt32BE(CORRELATION, 8);
  head.writeInt16BE(CLIENT.length, 12);
  return Buffer.concat([head, CLIENT]);
};

const HEAD_BYTES = 8;
const TLS_ALERT = 0x15;

const protocolOf = (head: Buffer): ProbeResult => {
  if (head.length === 0) return "closed";
  if (head.length >= HEAD_BYTES && head.readInt32BE(4) === CORRELATION) return "kafka";
  if (head.subarray(0, 5).toString("latin1") === "HTTP/") return "http";
  return head[0] === TLS_ALERT && head[1] === 3 ? "tls" : "other";
};

/**
 * Asks a connection whether it leads to Kafka. Nobody has to be signed in for it. Rejects when the signal aborts.
 * @param socket nothing was sent on it
 */
export const probeProtocol = async (
  socket: Socket,
  { clock, signal, ms }: { clock: Clock; signal: AbortSignal; ms: number },
): Promise<ProbeResult> => {
  let head = Buffer.alloc(0);
  const answered = new Promise<ProbeResult>((resolve) => {
    const end = (): void => resolve(protocolOf(head));
    socket.on("data", (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      if (head.length >= HEAD_BYTES) end();
    });
    socket.once("end", end).once("close", end).once("error", end);
  });
  socket.write(apiVersionsRequest());
  return clock.within(ms, signal, answered).catch(() => {
    signal.throwIfAborted();
    return "nothing";
  });
};
