import type { TLSSocket } from "node:tls";
import type { Clock } from "../../runtime/clock.ts";
import { reasonOf } from "./connection.ts";

/** Short of the shortest connect timeout, and long for a round trip. */
const WAIT_MS = 750;

/**
 * Waits until the server has judged the client certificate, and rejects if it ends the connection instead. With TLS 1.3
 * the client may write before that: what it writes to a server that then refuses the certificate is neither executed nor
 * refused. The first session ticket proves that the certificate was taken. TLS 1.2 ends the handshake after the verdict,
 * and a resumed session had its verdict before. A server that issues no tickets proves nothing: after a wait its
 * connection is used all the same.
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
