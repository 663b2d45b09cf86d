import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPartner } from "../../../src/bridge/partner.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { configOf } from "../config/environment.ts";
import { ACCEPT, free, serve, type Server } from "../partner/hostile-server.ts";

test("the file of PARTNER_PROXY_URL is looked at again, and one that is half written is passed over", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-partner-"));
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, "proxy");
  const put = (text: string): void => {
    writeFileSync(file, text);
    vi.setSystemTime(Date.now() + 1_000);
  };
  const refusing = (): Promise<Server> =>
    serve({ onRequest: (socket) => socket.end("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n") });
  const [first, second] = await Promise.all([refusing(), refusing()]);
  const address = ({ port }: Server, password: string): string =>
    `http://user:${password}@127.0.0.1:${port}\n`;

  put(address(first, "one"));
  const partner = openPartner(configOf({ PARTNER_PROXY_URL_FILE: file }), { clock: systemClock });
  const asked = async (): Promise<number[]> => {
    expect(await partner.call(ACCEPT, free())).toMatchObject({ kind: "notSent" });
    return [first, second].map(({ seen }) => seen.length);
  };
  expect(await asked()).toEqual([1, 0]);
  put(address(second, "two"));
  expect(await asked()).toEqual([1, 1]);
  expect(second.seen[0]?.text).toContain(Buffer.from("user:two").toString("base64"));
  put("http://user:tw%");
  expect(await asked()).toEqual([1, 2]);
});
