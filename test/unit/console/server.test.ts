import { once } from "node:events";
import { request } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ConsoleOptions } from "../../../src/console/options.ts";
import { createConsoleServer } from "../../../src/console/server.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { consoleFakes } from "../../support/console-fakes.ts";
import { basic, options, silent } from "./browser.ts";

const serve = async (of: Partial<ConsoleOptions> = {}) => {
  const fakes = consoleFakes();
  const logged: { level: "warn" | "error"; event: string; fields: Record<string, unknown> }[] = [];
  const server = createConsoleServer(options(of), {
    queries: fakes.queries,
    actions: fakes.actions,
    clock: systemClock,
    log: {
      ...silent,
      warn: (fields, event) => void logged.push({ level: "warn", event, fields }),
      error: (fields, event) => void logged.push({ level: "error", event, fields }),
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { ...fakes, server, logged, port, url: `http://127.0.0.1:${port}` };
};

/** Everything that comes back for these bytes. */
const say = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let heard = "";
    socket.on("data", (chunk) => (heard += chunk.toString()));
    socket.on("close", () => resolve(heard));
    socket.on("error", reject);
  });

const auth = { kind: "none" } as const;

test("without sign-in a request without a Host, or with another one, is refused", async () => {
  const { port } = await serve({ auth });
  expect(await say(port, "GET / HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 4/);
  const rebound = await say(port, "GET / HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n");
  expect(rebound).toMatch(/^HTTP\/1.1 403 /);
  expect(rebound).not.toContain("in doubt");
  expect(await say(port, `GET / HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 200 /,
  );
  expect(
    await say(port, "GET http://localhost/ HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n"),
  ).not.toMatch(/^HTTP\/1.1 200 /);
});

test("the proxy's header is trusted by the socket's address only", async () => {
  const proxy = { kind: "proxy-header", header: "X-Forwarded-User", operators: ["ana"] } as const;
  const ask = async (isTrusted: (address: string) => boolean) => {
    const { url } = await serve({ auth: { ...proxy, isTrusted } });
    return (await fetch(url, { headers: { "x-forwarded-user": "ana", "x-forwarded-for": "10.0.0.1" } }))
      .status;
  };
  expect(await ask((address) => address === "127.0.0.1")).toBe(200);
  expect(await ask((address) => address === "10.0.0.1")).toBe(403);
});

test("an endless body is refused early", async () => {
  const { port, did } = await serve();
  const headers = {
    authorization: basic("ana"),
    "sec-fetch-site": "same-origin",
    "content-type": "application/x-www-form-urlencoded",
  };
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sending = request(
      { port, host: "127.0.0.1", path: "/doubts", method: "POST", headers },
      (answer) => {
        resolve(answer.statusCode);
        sending.destroy();
      },
    );
    sending.on("error", reject);
    const more = (): boolean => sending.write("x".repeat(4_096), () => !sending.destroyed && more());
    more();
  });
  expect(status).toBe(413);
  expect(did).toEqual([]);
});

test.each(["content-length: 1000", "transfer-encoding: chunked"])(
  "a body that is cut off (%s) is the client's fault: refused, and no error",
  async (length) => {
    const { server, port, did, logged } = await serve();
    const arrived = once(server, "request");
    const socket = connect(port, "127.0.0.1");
    const head = [
      "POST /doubts HTTP/1.1",
      "host: localhost",
      `authorization: ${basic("ana")}`,
      "sec-fetch-site: same-origin",
      "content-type: application/x-www-form-urlencoded",
      length,
    ].join("\r\n");
    // As a chunk of five bytes, or as seven bytes of a thousand.
    socket.write(`${head}\r\n\r\n5\r\nid=x&`);
    await arrived;
    socket.destroy();
    await expect.poll(() => logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({ level: "warn", event: "console.refused", fields: { by: "ana" } });
    expect(did).toEqual([]);
  },
);

test("streams: a heartbeat at once, and nothing left behind after a disconnect or a HEAD", async () => {
  const { url, hearers } = await serve();
  const headers = { authorization: basic("ana") };
  await fetch(`${url}/live`, { method: "HEAD", headers });
  expect(hearers.size).toBe(0);
  const gone = new AbortController();
  const answer = await fetch(`${url}/live`, { headers, signal: gone.signal });
  const first = (await answer.body!.getReader().read()) as { value: Uint8Array };
  expect(new TextDecoder().decode(first.value)).toBe("event: beat\ndata:\n\n");
  expect(hearers.size).toBe(1);
  gone.abort();
  await expect.poll(() => hearers.size).toBe(0);
});

test("one user has ten streams at most: the eleventh ends the first", async () => {
  const { url } = await serve();
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const headers = { authorization: basic("ana") };
  const ask = (): Promise<Response> => fetch(`${url}/live`, { headers, signal: gone.signal });
  const first = await ask();
  for (let nth = 1; nth < 11; nth++) expect((await ask()).status).toBe(200);
  expect(await first.text()).toBe("event: beat\ndata:\n\n");
});
