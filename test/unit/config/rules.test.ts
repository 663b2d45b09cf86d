import { describe, expect, test } from "vitest";
import { loadConfig, type Environment } from "../../../src/config/load.ts";
import type { Purpose } from "../../../src/config/config.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { complete, configOf, files, problemsOf, refused, warningsOf } from "./environment.ts";

const { folder, fileWith } = files();
const [cert, key, tokens, users] = [TEST_CERT, TEST_KEY, "a-token\n", "ana operator hash\n"].map(fileWith);

describe("required settings", () => {
  const KAFKA = ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL"];
  const CALLS = ["PARTNER_ACCESS_TOKEN", "PARTNER_BASE_URL", "PARTNER_NAME", "PARTNER_X_TOKEN"];
  test.each<[Purpose, string, string[]]>([
    ["serve", "", [...KAFKA, ...CALLS, "WEBHOOK_AUTH"]],
    ["serve", "webhooks", [...KAFKA, "PARTNER_BASE_URL", "WEBHOOK_AUTH"]],
    ["serve", "commands", [...KAFKA, ...CALLS]],
    ["serve", "reconcile", [...KAFKA, ...CALLS]],
    ["tool", "", KAFKA],
    ["console", "", KAFKA],
    ["partner", "", CALLS],
    ["reconcile", "", [...KAFKA, ...CALLS]],
  ])("%s with flows %j lacks all of them at once", (purpose, flows, variables) => {
    const loaded = loadConfig({ FLOWS: flows }, purpose);
    const missing = loaded.ok ? [] : loaded.problems.map(({ variable }) => variable);
    expect(missing.sort()).toEqual(variables.toSorted());
  });

  test("the environment that the tests start from has no problem; a variable that is empty counts as absent", () => {
    expect(loadConfig(complete, "serve")).toMatchObject({ ok: true, warnings: [] });
    expect(problemsOf({ KAFKA_BROKERS: "" })).toEqual([expect.stringMatching(/^KAFKA_BROKERS is not set/)]);
    expect(configOf({ WEBHOOK_PORT: "", PARTNER_MAX_RPS: "" })).toMatchObject({
      webhook: { port: 8_080 },
      partner: { maxRequestsPerSecond: undefined },
    });
  });
});

const webhookKey = Buffer.alloc(24, 7).toString("base64");
const standard = (secret: string) => ({ WEBHOOK_AUTH: "standard-webhooks", WEBHOOK_SECRET: secret });
const hmac = { WEBHOOK_AUTH: "hmac", WEBHOOK_SIGNATURE_HEADER: "X-Signature" };
const scram = { KAFKA_SASL_MECHANISM: "scram-sha-512" };
const sasl = { KAFKA_SASL_MECHANISM: "plain", KAFKA_SASL_USERNAME: "user", KAFKA_SASL_PASSWORD: "p-text" };
const local = { WEBHOOK_PORT: "9090", WEBHOOK_HOST: "127.0.0.1" };
const publicUrl = (path: string) => ({
  WEBHOOK_PUBLIC_URL: `https://bridge.example${path}`,
  WEBHOOK_SECRET: "one, a/b c",
});
const client = {
  KAFKA_OAUTH_TOKEN_ENDPOINT: "https://idp.example/token",
  KAFKA_OAUTH_CLIENT_ID: "bridge",
  KAFKA_OAUTH_CLIENT_SECRET: "p-text",
};
const oauth = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "oauthbearer" };
const aws = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "aws-msk-iam", KAFKA_AWS_REGION: "sa-east-1" };
const registry = { SCHEMA_REGISTRY_URL: "https://registry.example" };
const basicRegistry = { SCHEMA_REGISTRY_USERNAME: "u", SCHEMA_REGISTRY_PASSWORD: "p-text" };
const token = { SCHEMA_REGISTRY_TOKEN: "p-text" };
const proxy = { CONSOLE_AUTH: "proxy-header", CONSOLE_TRUSTED_PROXY_CIDRS: "10.0.0.0/8" };
const basic = (file: string | undefined) => ({ CONSOLE_AUTH: "basic", CONSOLE_USERS_FILE: file });

const SERVE: Purpose[] = ["serve"];
const CALLS: Purpose[] = ["serve", "partner", "reconcile"];
const RECONCILE: Purpose[] = ["serve", "reconcile"];
const KAFKA: Purpose[] = ["serve", "tool", "reconcile", "console"];
const CONSOLE: Purpose[] = ["console"];

test.each<[Environment, variables: string[], Purpose[]]>([
  [{ PARTNER_CALL_TIMEOUT: "21s" }, ["PARTNER_CALL_TIMEOUT"], SERVE],
  [{ SHUTDOWN_TIMEOUT: "19s" }, ["PARTNER_CALL_TIMEOUT"], SERVE],
  [{ PARTNER_TLS_CERT_FILE: cert }, ["PARTNER_TLS_KEY_FILE"], CALLS],
  [{ PARTNER_TLS_KEY_FILE: key }, ["PARTNER_TLS_CERT_FILE"], CALLS],
  [{ WEBHOOK_SECRET: undefined }, ["WEBHOOK_SECRET"], SERVE],
  [{ WEBHOOK_SECRET: " ,," }, ["WEBHOOK_SECRET"], SERVE],
  [{ WEBHOOK_SECRET: "good,.." }, ["WEBHOOK_SECRET"], SERVE],
  [{ WEBHOOK_AUTH: "header", WEBHOOK_SECRET: "s" }, ["WEBHOOK_SIGNATURE_HEADER"], SERVE],
  [{ WEBHOOK_AUTH: "hmac", WEBHOOK_SECRET: "s" }, ["WEBHOOK_SIGNATURE_HEADER"], SERVE],
  [standard(`whsec_${webhookKey},whsec_no base64!`), ["WEBHOOK_SECRET"], SERVE],
  [standard("whsec_"), ["WEBHOOK_SECRET"], SERVE],
  [{ WEBHOOK_PORT: "9090" }, ["WEBHOOK_PORT"], SERVE],
  [local, ["WEBHOOK_PORT"], SERVE],
  [{ ...local, MANAGEMENT_HOST: "127.0.0.1" }, ["WEBHOOK_PORT"], SERVE],
  [publicUrl("/hooks/one/"), ["WEBHOOK_PUBLIC_URL"], SERVE],
  [publicUrl("/hooks/%6fne"), ["WEBHOOK_PUBLIC_URL"], SERVE],
  [publicUrl("/hooks/a/b%20c"), ["WEBHOOK_PUBLIC_URL"], SERVE],
  [{ PARTNER_MAX_CONNECTIONS: "1" }, ["PARTNER_MAX_CONNECTIONS"], SERVE],
  [{ PARTNER_MAX_CONNECTIONS: "1", FLOWS: "webhooks,commands" }, [], []],
  [{ PARTNER_MAX_CONNECTIONS: "1", FLOWS: "webhooks,reconcile" }, [], []],
  [{ RECONCILE_MIN_AGE: "26h" }, ["RECONCILE_WINDOW"], RECONCILE],
  [{ RECONCILE_EVERY: "1551m" }, ["RECONCILE_WINDOW"], RECONCILE],
  [{ FLOWS: "webhooks", RECONCILE_MIN_AGE: "26h" }, ["RECONCILE_WINDOW"], ["reconcile"]],
  [{ TOPIC_COMMANDS: "one", TOPIC_COMMAND_RESULTS: "one" }, ["TOPIC_COMMAND_RESULTS"], KAFKA],
  [{ TOPIC_COMMANDS: "fx.one_two", TOPIC_AUDIT: "fx_one.two" }, ["TOPIC_AUDIT"], KAFKA],
  [{ TOPIC_TRANSACTION_STATUS: "fx.dead-letters" }, ["TOPIC_DEAD_LETTERS"], KAFKA],
  [
    { TOPIC_COMMANDS: "x", TOPIC_COMMAND_JOURNAL: "x", TOPIC_DEAD_LETTERS: "x" },
    ["TOPIC_COMMAND_JOURNAL", "TOPIC_DEAD_LETTERS"],
    KAFKA,
  ],
  [{ KAFKA_TLS: "true", KAFKA_TLS_CERT_FILE: cert }, ["KAFKA_TLS_KEY_FILE"], KAFKA],
  [{ ...scram, KAFKA_SASL_PASSWORD: "p" }, ["KAFKA_SASL_USERNAME"], KAFKA],
  [{ ...scram, KAFKA_SASL_USERNAME: "u" }, ["KAFKA_SASL_PASSWORD"], KAFKA],
  [{ KAFKA_SASL_PASSWORD: "p" }, ["KAFKA_SASL_MECHANISM"], KAFKA],
  [oauth, Object.keys(client), KAFKA],
  [client, ["KAFKA_SASL_MECHANISM"], KAFKA],
  [{ KAFKA_OAUTH_TOKEN_FILE: tokens }, ["KAFKA_SASL_MECHANISM"], KAFKA],
  [{ ...aws, KAFKA_AWS_REGION: "" }, ["KAFKA_AWS_REGION"], KAFKA],
  [{ SCHEMA_REGISTRY_USERNAME: "u" }, ["SCHEMA_REGISTRY_PASSWORD"], KAFKA],
  [{ ...registry, SCHEMA_REGISTRY_PASSWORD: "p" }, ["SCHEMA_REGISTRY_USERNAME"], KAFKA],
  [{ ...registry, ...client, ...token, SCHEMA_REGISTRY_OAUTH: "true" }, ["SCHEMA_REGISTRY_OAUTH"], KAFKA],
  [
    { ...registry, ...token, SCHEMA_REGISTRY_USERNAME: "u", SCHEMA_REGISTRY_PASSWORD: "p" },
    ["SCHEMA_REGISTRY_TOKEN"],
    KAFKA,
  ],
  [{ CONSOLE_HOST: "0.0.0.0" }, ["CONSOLE_HOST"], CONSOLE],
  [{ CONSOLE_HOST: "127.0.0.1.example" }, ["CONSOLE_HOST"], CONSOLE],
  [basic(undefined), ["CONSOLE_USERS_FILE"], CONSOLE],
  [basic(fileWith("\n")), ["CONSOLE_USERS_FILE"], CONSOLE],
  [basic(folder), ["CONSOLE_USERS_FILE"], CONSOLE],
  [{ ...proxy, CONSOLE_TRUSTED_PROXY_CIDRS: "" }, ["CONSOLE_TRUSTED_PROXY_CIDRS"], CONSOLE],

  [{ PARTNER_CALL_TIMEOUT: "20s" }, [], []],
  [{ WEBHOOK_AUTH: "none", WEBHOOK_SECRET: undefined }, [], []],
  [standard(`whsec_${webhookKey}, ${webhookKey}`), [], []],
  [{ FLOWS: "commands", WEBHOOK_SECRET: ",", WEBHOOK_PORT: "9090" }, [], []],
  [{ ...hmac, WEBHOOK_AUTH: "header", WEBHOOK_SECRET: "caf\u00e9 1" }, [], []],
  [{ ...hmac, WEBHOOK_SECRET: "first,\n second\n\n" }, [], []],
  [{ ...local, WEBHOOK_HOST: "10.0.0.1", MANAGEMENT_HOST: "127.0.0.1" }, [], []],
  [{ WEBHOOK_PORT: "0", MANAGEMENT_PORT: "0" }, [], []],
  [publicUrl("/hooks/someone"), [], []],
  [publicUrl("/one/hooks/%zz"), [], []],
  [{ ...publicUrl("/hooks/one"), ...hmac }, [], []],
  [{ RECONCILE_MIN_AGE: "0", RECONCILE_WINDOW: "25m", RECONCILE_LOOKBACK: "25m" }, [], []],
  [{ ...scram, KAFKA_SASL_USERNAME: "u", KAFKA_SASL_PASSWORD: "p" }, [], []],
  [{ ...oauth, ...client, KAFKA_OAUTH_TOKEN_ENDPOINT: "http://127.0.0.1:1/t?p=1" }, [], []],
  [{ ...oauth, KAFKA_OAUTH_TOKEN_FILE: tokens, KAFKA_OAUTH_EXTENSIONS: "logicalCluster=lkc-1, p=1" }, [], []],
  [{ ...aws, ...client, ...registry, SCHEMA_REGISTRY_OAUTH: "true" }, [], []],
  [{ ...registry, ...token, SCHEMA_REGISTRY_HEADERS: "x-a=1, x-b=2=" }, [], []],
  [{ SCHEMA_REGISTRY_URL: "http://localhost:1", ...token }, [], []],
  [{ CONSOLE_HOST: "::ffff:127.0.0.1" }, [], []],
  [{ CONSOLE_HOST: "0.0.0.0", ...basic(users) }, [], []],
  [{ CONSOLE_HOST: "0.0.0.0", ...proxy }, [], []],
])("%j: %j", (env, variables, purposes) => {
  for (const purpose of ["serve", "tool", "partner", "reconcile", "console"] as const)
    expect(refused(env, purpose), purpose).toEqual(purposes.includes(purpose) ? variables : []);
});

describe("secrets and certificates that would go out in clear, or unused", () => {
  const pair = { KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key };
  const plainEndpoint = { ...client, KAFKA_OAUTH_TOKEN_ENDPOINT: "http://idp/token" };
  test.each<[Environment, string[], right: Environment]>([
    [
      { ...pair, KAFKA_TLS_CA_FILE: cert },
      ["CA", "CERT", "KEY"].map((of) => `KAFKA_TLS_${of}_FILE`),
      { KAFKA_TLS: "true" },
    ],
    [sasl, ["KAFKA_SASL_MECHANISM"], { KAFKA_TLS: "true" }],
    [{ ...oauth, ...client, KAFKA_TLS: "false" }, ["KAFKA_SASL_MECHANISM"], { KAFKA_TLS: "true" }],
    [{ ...aws, KAFKA_TLS: "false" }, ["KAFKA_SASL_MECHANISM"], { KAFKA_TLS: "true" }],
    [{ ...oauth, ...plainEndpoint }, ["KAFKA_OAUTH_TOKEN_ENDPOINT"], client],
    [token, ["SCHEMA_REGISTRY_URL"], registry],
    [basicRegistry, ["SCHEMA_REGISTRY_URL"], registry],
    [{ ...client, SCHEMA_REGISTRY_OAUTH: "true" }, ["SCHEMA_REGISTRY_URL"], registry],
  ])("%j: %j", (env, variables, right) => {
    for (const purpose of KAFKA) expect(refused(env, purpose)).toEqual(variables);
    expect(refused({ ...env, ...right })).toEqual([]);
    expect(refused({ ...env, KAFKA_ALLOW_PLAINTEXT: "true" })).toEqual([]);
    for (const problem of problemsOf(env)) {
      expect(problem).toMatch(/KAFKA_TLS=true|use https/);
      expect(problem).toContain("KAFKA_ALLOW_PLAINTEXT=true");
      expect(problem).not.toMatch(/p-text|undefined/);
    }
  });
});

test("a secret that strangers could guess, such as one that a # has cut, is warned of where it counts", () => {
  const long = "a-secret-of-16-ch";
  const warned = (secret: string, over: Environment = {}, purpose: Purpose = "serve"): boolean =>
    warningsOf({ WEBHOOK_SECRET: secret, ...over }, purpose).some((text) =>
      /^WEBHOOK_SECRET .*quote it/.test(text),
    );
  expect([warned("abc123"), warned(`${long}, short`), warned(long.slice(0, 15), hmac)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(warned("whsec_MTIzNDU2", { WEBHOOK_AUTH: "standard-webhooks" })).toBe(true);
  expect([warned(long), warned(`${long},${long}2`)]).toEqual([false, false]);
  expect(warned("abc123", { WEBHOOK_AUTH: "none" })).toBe(false);
  expect(warned("abc123", { FLOWS: "commands" })).toBe(false);
  expect(warned("abc123", {}, "tool")).toBe(false);
});
