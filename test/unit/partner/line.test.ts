import { expect, it } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { ACCEPT, answer, eventually, free, partnerOf, serve } from "./hostile-server.ts";

const reply = { onRequest: (socket: { write: (text: string) => void }) => socket.write(answer("200 OK")) };
const never = (): AbortSignal => new AbortController().signal;

it("is the connection of its call, opened before", async () => {
  const server = await serve(reply);
  const partner = partnerOf(server);
  const line = partner.prepare(never());
  await eventually(() => server.seen.length === 1);
  expect(server.seen[0]!.text).toBe("");
  expect((await partner.call(ACCEPT, { ...free(), line })).kind).toBe("executed");
  expect(server.seen).toHaveLength(1);
});

it("is closed when no call came, and gives its place back", async () => {
  const server = await serve(reply);
  const partner = partnerOf(server, { maxConnections: 1 });
  const line = partner.prepare(never());
  expect(partner.prepare(never())).toBeNull();
  await eventually(() => server.seen.length === 1);
  line?.close();
  line?.close();
  await eventually(() => server.seen[0]!.closed);
  expect((await partner.call(ACCEPT, free())).kind).toBe("executed");
  expect(server.seen.map(({ text }) => text === "")).toEqual([true, false]);
});

it("serves one call: what comes after it opens its own", async () => {
  const server = await serve(reply);
  const partner = partnerOf(server);
  const line = partner.prepare(never());
  for (let i = 0; i < 2; i++) expect((await partner.call(ACCEPT, { ...free(), line })).kind).toBe("executed");
  line?.close();
  expect(server.seen).toHaveLength(2);
});

it("is replaced when the partner closed it meanwhile", async () => {
  const server = await serve(reply);
  const partner = partnerOf(server);
  const line = partner.prepare(never());
  await eventually(() => server.seen.length === 1);
  server.seen[0]!.socket.end();
  await eventually(() => server.seen[0]!.closed);
  expect((await partner.call(ACCEPT, { ...free(), line })).kind).toBe("executed");
  expect(server.seen.map(({ text }) => text === "")).toEqual([true, false]);
});

it("is replaced when it has been open for more than a second", async () => {
  const server = await serve(reply);
  let looks = 0;
  const partner = partnerOf(server, { clock: { ...systemClock, monotonic: () => 1_001 * looks++ } });
  const line = partner.prepare(never());
  expect((await partner.call(ACCEPT, { ...free(), line })).kind).toBe("executed");
  expect(server.seen.map(({ text }) => text === "")).toEqual([true, false]);
  await eventually(() => server.seen[0]!.closed);
});

it("does not keep a call from saying why nothing was sent", async () => {
  const partner = partnerOf({ url: "http://127.0.0.1:1" });
  const line = partner.prepare(never());
  const outcome = await partner.call(ACCEPT, { ...free(), line });
  expect(outcome).toMatchObject({ kind: "notSent" });
  line?.close();
});
