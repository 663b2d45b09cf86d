import type { Socket } from "node:net";
import type { Clock } from "../../runtime/clock.ts";

/**
 * The protocol of a listener, by the first bytes of its answer to a Kafka request. `nothing`: it does not
 * answer in time.
 */
export type ProbeResult = "kafka" | "http" | "tls" | "other" | "closed" | "nothing";

/** Correlation id of the request, which a broker repeats in its answer. */
const CORRELATION = 0x63_61_6d_62;
const CLIENT = Buffer.from("cambio-bridge");

/** ApiVersions, version 0: every broker answers it without authentication. */
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
 * Finds out whether a connection leads to Kafka. Needs no authentication. Rejects when the signal aborts.
 * @param socket a new connection, on which nothing was sent
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
