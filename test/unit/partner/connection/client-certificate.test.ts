import { EventEmitter } from "node:events";
import type { TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import { untilCertificateTaken } from "../../../../src/partner/connection/client-certificate.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

const socketOf = (protocol = "TLSv1.3", reused = false): TLSSocket =>
  Object.assign(new EventEmitter(), {
    getProtocol: () => protocol,
    isSessionReused: () => reused,
  }) as unknown as TLSSocket;

/** The wait that it asks for is over when the test says so. */
const manual = () => {
  let end = (): void => undefined;
  const over = new Promise<never>((_, reject) => (end = () => reject(new Error("over"))));
  const clock = { within: <T>(_: number, __: unknown, work: Promise<T>) => Promise.race([work, over]) };
  return { clock, end: () => end() };
};

const stateOf = async (taken: Promise<void>): Promise<string> => {
  const state = taken.then(
    () => "taken",
    (error: unknown) => String(error),
  );
  return Promise.race([state, new Promise<string>((resolve) => setImmediate(() => resolve("waiting")))]);
};

it("is taken with the first ticket, also one that comes at once", async () => {
  const socket = socketOf();
  const taken = untilCertificateTaken(socket, systemClock);
  socket.emit("secureConnect");
  expect(await stateOf(taken)).toBe("waiting");
  socket.emit("session", Buffer.alloc(1));
  expect(await stateOf(taken)).toBe("taken");

  const quick = socketOf();
  const atOnce = untilCertificateTaken(quick, systemClock);
  quick.emit("session", Buffer.alloc(1));
  quick.emit("secureConnect");
  expect(await stateOf(atOnce)).toBe("taken");
});

it.each([
  ["TLSv1.2", false],
  ["TLSv1.3", true],
])("needs no proof after the handshake of %s, resumed: %s", async (protocol, reused) => {
  const socket = socketOf(protocol, reused);
  const taken = untilCertificateTaken(socket, systemClock);
  socket.emit("secureConnect");
  expect(await stateOf(taken)).toBe("taken");
});

it("is refused with an alert or a close", async () => {
  const alert = Object.assign(new Error("80FC:error:0A000418:SSL routines:rec_layer_s3.c:1601"), {
    library: "SSL routines",
    reason: "tlsv1 alert unknown ca",
  });
  for (const [event, reason] of [
    ["error", "TLS: tlsv1 alert unknown ca"],
    ["end", "it closed the connection"],
    ["close", "the connection was closed"],
  ] as const) {
    const socket = socketOf();
    const taken = untilCertificateTaken(socket, systemClock);
    socket.emit("secureConnect");
    socket.emit(event, alert);
    expect(await stateOf(taken)).toBe(`Error: the partner refused the TLS client certificate: ${reason}`);
  }
});

it("counts as taken after a while by a server that issues no tickets", async () => {
  const { clock, end } = manual();
  const socket = socketOf();
  const taken = untilCertificateTaken(socket, clock);
  socket.emit("secureConnect");
  expect(await stateOf(taken)).toBe("waiting");
  end();
  expect(await stateOf(taken)).toBe("taken");
});
