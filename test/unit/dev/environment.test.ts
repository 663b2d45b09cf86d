import { parseEnv } from "node:util";
import { expect, it } from "vitest";
import { envFile, settingsFor, webhookUrl, withoutSettings } from "../../../dev/demo/environment.mjs";
import { loadConfig, rows } from "../../../src/config/load.ts";

const cluster = {
  bootstrapServers: "127.0.0.1:29092",
  registryUrl: "http://127.0.0.1:28081/apis/ccompat/v7",
};
const ports = { sandbox: 8090, webhooks: 8080, management: 9090, console: 8091 };
const settings = () => settingsFor(cluster, ports, "/tmp/users");

it("is what the bridge accepts without a warning, also by way of the file", () => {
  const written = parseEnv(envFile(settings())) as Record<string, string>;
  expect(loadConfig(written, "serve")).toMatchObject({ ok: true, warnings: [] });
});

it("has secrets of its own in each run", () => {
  expect(settings().WEBHOOK_SECRET).not.toBe(settings().WEBHOOK_SECRET);
  const one = settings();
  expect(webhookUrl(one)).toBe(`http://127.0.0.1:8080/webhooks/transaction-status/${one.WEBHOOK_SECRET}`);
});

it("keeps every setting of the developer's shell away from the demo, and leaves the rest", () => {
  const names = rows.flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env]));
  const shell = Object.fromEntries(names.map((name) => [name, "x"]));
  expect(withoutSettings({ ...shell, PATH: "/bin", HOME: "/root" })).toEqual({ PATH: "/bin", HOME: "/root" });
});
