import type { TLSSocket } from "node:tls";
import type { Clock } from "../../runtime/clock.ts";
import { reasonOf } from "./connection.ts";

/** Short of the shortest connect timeout, and long for a round trip. */
const WAIT_MS = 750;

/**
 * The client may write, with TLS 1.3, before the server has judged its certificate: nobody knows what becomes of it.
 * The first session ticket proves that it was taken. TLS 1.2 ends the handshake after the verdict, and a resumed
 * session has it from before. A server without tickets proves nothing: after a wait its connection is used all the same.
 * @param socket connecting: the ticket may come together with the end of the handshake
 */
export const untilCertificateTaken = (socket: TLSSocket, clock: Pick<Clock, "within">): Promise<void> => {
  const verdict = new Promise<void>((resolve, reject) => {
    const refuse = (reason: string): void =>
      reject(new Error(`the partner refused the TLS client certificate: ${reason}`));
    socket.once("session", () => resolve());
    socket.once("secureConnect", () => {
      if (socket.getProtocol() !== "TLSv1.3" || socket.isSessionReused()) resolve();
      socket.once("error", (error) => refuse(reasonOf(error)));
      socket.once("end", () => refuse("it closed the connection"));
      socket.once("close", () => refuse("the connection was closed"));
      clock.within(WAIT_MS, undefined, verdict).catch(() => resolve());
    });
  });
  return verdict;
};
