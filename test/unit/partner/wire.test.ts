import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPartner } from "../../../src/partner/wire.ts";
import type { Config } from "../../../src/config/config.ts";
import { watchSecrets } from "../../../src/config/load.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { fakeTime } from "../../support/fake-time.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { configOf } from "../config/environment.ts";
import { ACCEPT, answer, free, partnerOf, serve, type Server } from "./hostile-server.ts";

/** Puts texts into files, and lets the time pass in which they are looked at twice. */
const files = (): ((name: string, text: string) => string) => {
  const folder = temporaryFolder();
  fakeTime({ toFake: ["Date", "setInterval"] });
  return (name, text) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    vi.advanceTimersByTime(2_000);
    return file;
  };
};
const watched = (config: Config): Config => {
  onTestFinished(watchSecrets(config, { warn: () => undefined }));
  return config;
};

test("an answer that repeats a secret from before its rotation shows neither that nor the new one", async () => {
  const put = files();
  const echoed = ["token", "x-token", "webhook"].flatMap((name) => [`old-${name}`, `new-${name}`]);
  const server = await serve({
    onRequest: (socket) => void socket.write(answer("200 OK", JSON.stringify({ echoed }))),
  });
  const settings = { PARTNER_ACCESS_TOKEN: "token", PARTNER_X_TOKEN: "x-token", WEBHOOK_SECRET: "webhook" };
  const env = Object.entries(settings).flatMap(([variable, name]): [string, string | undefined][] => [
    [variable, undefined],
    [`${variable}_FILE`, put(name, `old-${name}\n`)],
  ]);
  const partner = openPartner(
    watched(configOf({ ...Object.fromEntries(env), PARTNER_BASE_URL: server.url })),
    { clock: systemClock },
  );
  for (const name of Object.values(settings)) put(name, `new-${name}\n`);
  const outcome = await partner.call(ACCEPT, free());
  expect(server.seen[0]?.text).toContain("Bearer new-token\r\n");
  expect(outcome).toMatchObject({ answer: { body: JSON.stringify({ echoed: echoed.map(() => "***") }) } });
  expect(partner.mask("old-token old-x-token old-webhook")).toBe("*** *** ***");
});

test.each([
  ["commands", 2],
  ["commands,reconcile", 1],
])("with FLOWS=%s commands have %i of two connections", (FLOWS, count) => {
  const settings = { FLOWS, PARTNER_MAX_CONNECTIONS: "2" };
  const partner = openPartner(configOf(settings), { clock: systemClock });
  let taken = 0;
  for (; partner.permit().isFree(); taken++) partner.permit().take();
  expect(taken).toBe(count);
});

test("the file of PARTNER_PROXY_URL is looked at again, and one that is half written is passed over", async () => {
  const putFile = files();
  const put = (text: string): string => putFile("proxy", text);
  const refusing = (): Promise<Server> =>
    serve({ onRequest: (socket) => socket.end("HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n") });
  const [first, second] = await Promise.all([refusing(), refusing()]);
  const address = ({ port }: Server, password: string): string =>
    `http://user:${password}@127.0.0.1:${port}\n`;

  const file = put(address(first, "one"));
  const partner = openPartner(watched(configOf({ PARTNER_PROXY_URL_FILE: file })), { clock: systemClock });
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

test("a password in the subscribed address that is not percent-encoded is masked as it is", async () => {
  const server = await serve({
    onRequest: (socket) => void socket.write(answer("400 Bad Request", '{"url":"https://me:pass%word@x"}')),
  });
  const partner = openPartner(configOf({ PARTNER_BASE_URL: server.url }), { clock: systemClock });
  const subscription = { url: "https://me:pass%word@x/hooks", events: ["E"] };
  expect(await partner.subscribe(subscription, free())).toMatchObject({
    answer: { httpStatus: 400, body: '{"url":"https://me:***@x"}' },
  });
});

test("credentials are read again after a 401, and never repeated from its answer", async () => {
  // Knows the new token only, and repeats what it was given.
  const server = await serve({
    onRequest: (socket, index) => {
      const { text } = server.seen[index]!;
      socket.write(text.includes("Bearer new-token\r\n") ? answer("200 OK") : answer("401 No", text));
    },
  });
  let current = { accessToken: "old-token", xToken: "old-x" };
  const reload = (): void => {
    current = { accessToken: "new-token", xToken: "new-x" };
  };
  const credentials = { current: () => current, reload };
  const partner = partnerOf(server, { credentials, secrets: () => Object.values(current) });
  const outcomes = await Promise.all([1, 2, 3].map(() => partner.call(ACCEPT, free())));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["unauthorized", "unauthorized", "unauthorized"]);
  expect(JSON.stringify(outcomes)).not.toMatch(/old-token|old-x/);
  expect(JSON.stringify(outcomes)).toContain("Bearer ***");
  expect((await partner.call(ACCEPT, free())).kind).toBe("executed");
});
