import { TLSSocket } from "node:tls";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { tlsSessions } from "../../../../src/partner/connection/tls-sessions.ts";

const setUp = () => {
  const sessions = tlsSessions();
  const socket = new TLSSocket(new Socket());
  sessions.keepFrom(socket, "partner.example:443");
  return {
    give: (...names: string[]) => names.forEach((name) => socket.emit("session", Buffer.from(name))),
    take: (host = "partner.example:443") => sessions.take(host)?.toString(),
  };
};

it("each session is used once, the oldest first, and the last one until there is another", () => {
  const { give, take } = setUp();
  expect(take()).toBeUndefined();
  give("a", "b");
  expect([take(), take(), take()]).toEqual(["a", "b", "b"]);
  give("c");
  expect([take(), take(), take()]).toEqual(["b", "c", "c"]);
});

it("one host's session is not another's", () => {
  const { give, take } = setUp();
  give("a");
  expect(take("proxy.example:443")).toBeUndefined();
});
