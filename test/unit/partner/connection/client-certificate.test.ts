import { EventEmitter } from "node:events";
import type { TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import { untilCertificateTaken } from "../../../../src/partner/connection/client-certificate.ts";
import { systemClock, type Clock } from "../../../../src/runtime/clock.ts";

/** The verdict after these events of a socket; `waiting` if there is none yet. */
const verdictAfter = async (
  events: readonly (readonly [name: string, argument?: unknown])[],
  clock: Pick<Clock, "within"> = systemClock,
): Promise<string> => {
  const socket = Object.assign(new EventEmitter(), {
    getProtocol: () => "TLSv1.3",
    isSessionReused: () => false,
  });
  const verdict = untilCertificateTaken(socket as unknown as TLSSocket, clock).then(() => "taken", String);
  for (const [name, argument] of events) socket.emit(name, argument);
  return Promise.race([verdict, new Promise<string>((resolve) => setImmediate(() => resolve("waiting")))]);
};
const connected = ["secureConnect"] as const;
const ticket = ["session", Buffer.alloc(1)] as const;

it("is taken with the first ticket, also one that comes at once", async () => {
  expect(await verdictAfter([connected])).toBe("waiting");
  expect(await verdictAfter([connected, ticket])).toBe("taken");
  expect(await verdictAfter([ticket, connected])).toBe("taken");
});

it("is refused with an alert or a close", async () => {
  const alert = Object.assign(new Error("80FC:error:0A000418:SSL routines:rec_layer_s3.c:1601"), {
    library: "SSL routines",
    reason: "tlsv1 alert unknown ca",
  });
  const refused = "Error: the partner refused the TLS client certificate";
  expect(await verdictAfter([connected, ["error", alert]])).toBe(`${refused}: TLS: tlsv1 alert unknown ca`);
  expect(await verdictAfter([connected, ["end"]])).toBe(`${refused}: it closed the connection`);
  expect(await verdictAfter([connected, ["close"]])).toBe(`${refused}: the connection was closed`);
});

it("counts as taken after a while by a server that issues no tickets", async () => {
  const clock = { within: () => Promise.reject(new Error("over")) };
  expect(await verdictAfter([connected], clock)).toBe("taken");
});
