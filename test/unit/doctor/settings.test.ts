import { expect, test } from "vitest";
import { warningsOf } from "../config/environment.ts";
import { examine } from "./faults.ts";

test("tokens with what is no part of them", async () => {
  const { line, of, checks } = await examine({
    PARTNER_ACCESS_TOKEN: "Bearer access-token",
    PARTNER_X_TOKEN: '"x-token"',
    SCHEMA_REGISTRY_TOKEN: "bearer  registry-token",
    SCHEMA_REGISTRY_URL: "https://127.0.0.1:1",
  });
  const bearer = /^warn begins with "Bearer ", which is no part of a token: leave that word out$/;
  expect(line("settings", "PARTNER_ACCESS_TOKEN")).toMatch(bearer);
  expect(line("settings", "SCHEMA_REGISTRY_TOKEN")).toMatch(bearer);
  expect(line("settings", "PARTNER_X_TOKEN")).toMatch(/^warn stands in quotes.*: leave them out/);
  expect(JSON.stringify(checks)).not.toMatch(/access-token|x-token|registry-token/);
  expect(of("settings")).toHaveLength(3);
});

test("allowed senders, TLS in front, and no trusted proxy", async () => {
  const settings = { WEBHOOK_PUBLIC_URL: "https://127.0.0.1:1", WEBHOOK_ALLOWED_CIDRS: "203.0.113.0/24" };
  const variable = "WEBHOOK_TRUSTED_PROXY_CIDRS";
  expect((await examine(settings)).line("settings", variable)).toMatch(
    /^warn is empty, but WEBHOOK_PUBLIC_URL is https.*: name the proxy's addresses$/,
  );
  for (const mended of [
    { [variable]: "10.0.0.0/8" },
    { WEBHOOK_ALLOWED_CIDRS: "" },
    { WEBHOOK_PUBLIC_URL: "http://127.0.0.1:1" },
    { FLOWS: "commands,reconcile" },
  ])
    expect((await examine({ ...settings, ...mended })).of("settings", variable)).toEqual([]);
});

test("NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
  const variable = "NODE_TLS_REJECT_UNAUTHORIZED";
  const { line } = await examine({ [variable]: "0" });
  expect(line("settings", variable)).toMatch(/^warn is 0: no certificate is verified/);
  expect(warningsOf({ [variable]: "0" })).toEqual([expect.stringMatching(/is 0: no certificate/)]);
  expect(warningsOf({ [variable]: "1" })).toEqual([]);
});
