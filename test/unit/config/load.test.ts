import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Environment, loadConfig } from "../../../src/config/load.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import type { Purpose } from "../../../src/config/config.ts";
import { complete, configOf, load, problemsOf, refused, warningsOf } from "./environment.ts";

const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-config-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fileWith = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const cert = fileWith("cert.pem", TEST_CERT);
const key = fileWith("key.pem", TEST_KEY);

describe("required settings", () => {
  const KAFKA = ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL"];
  const CALLS = ["PARTNER_ACCESS_TOKEN", "PARTNER_BASE_URL", "PARTNER_NAME", "PARTNER_X_TOKEN"];
  test.each<[Purpose, string, string[]]>([
    ["serve", "", [...KAFKA, ...CALLS, "WEBHOOK_AUTH"]],
    ["serve", "webhooks", [...KAFKA, "PARTNER_BASE_URL", "WEBHOOK_AUTH"]],
    ["serve", "commands", [...KAFKA, ...CALLS]],
    ["serve", "reconcile", [...KAFKA, ...CALLS]],
    ["tool", "", KAFKA],
    ["partner", "", CALLS],
    ["reconcile", "", [...KAFKA, ...CALLS]],
  ])("%s with flows %j lacks all of them at once", (purpose, flows, variables) => {
    const loaded = loadConfig({ FLOWS: flows }, purpose);
    const missing = loaded.ok ? [] : loaded.problems.map(({ variable }) => variable);
    expect(missing.sort()).toEqual(variables.toSorted());
  });
  test("a variable that is empty counts as absent", () => {
    expect(problemsOf({ KAFKA_BROKERS: "" })).toEqual([expect.stringMatching(/^KAFKA_BROKERS is not set/)]);
    expect(configOf({ WEBHOOK_PORT: "", LOG_LEVEL: "", PARTNER_MAX_RPS: "" })).toMatchObject({
      webhook: { port: 8_080 },
      bridge: { logLevel: "info" },
      partner: { maxRequestsPerSecond: undefined },
    });
  });
  test("a message says which flow needs the variable", () => {
    expect(problemsOf({ PARTNER_X_TOKEN: undefined })).toEqual([
      expect.stringMatching(/^PARTNER_X_TOKEN is not set, which the commands flow needs/),
    ]);
    expect(problemsOf({ PARTNER_X_TOKEN: undefined, FLOWS: "webhooks,reconcile" })).toEqual([
      expect.stringMatching(/^PARTNER_X_TOKEN is not set, which the reconcile flow needs/),
    ]);
    expect(problemsOf({ PARTNER_X_TOKEN: undefined }, "partner")).toEqual([
      expect.stringMatching(/^PARTNER_X_TOKEN is not set: /),
    ]);
  });
});

describe("values that cannot be read", () => {
  test.each([
    ["KAFKA_BROKERS", "kafka-1", /no host:port/],
    ["KAFKA_BROKERS", "kafka-1:9092,kafka-2:99999", /kafka-2:99999/],
    ["KAFKA_BROKERS", "user:p@ss@kafka-1:9092", /holds "…@kafka-1:9092", which is no host:port/],
    ["KAFKA_BROKERS", " , ", /is empty/],
    ["KAFKA_BROKERS", "http://kafka-1:9092", /no host:port/],
    ["KAFKA_SESSION_TIMEOUT", "30", /is not a duration such as/],
    ["KAFKA_SESSION_TIMEOUT", "5s", /is shorter than 6000ms/],
    ["KAFKA_TLS", "yes", /is neither true nor false/],
    ["KAFKA_TLS_CA_FILE", "/no/such/file.pem", /cannot be read \(ENOENT\): \/no\/such\/file\.pem/],
    ["KAFKA_SASL_MECHANISM", "PLAIN", /is none of plain, scram-sha-256, scram-sha-512/],
    ["SCHEMA_REGISTRY_URL", "registry:8081", /is not one http or https address/],
    ["SCHEMA_REGISTRY_URL", "http://me:pass-word@registry", /credentials, which have settings/],
    ["SCHEMA_REGISTRY_URL", "http://registry?x=1", /query or a fragment/],
    ["PARTNER_BASE_URL", "partner.example", /is not one http or https address/],
    ["PARTNER_NAME", "acme\r\nx-evil: 1", /no header of a request can carry/],
    ["PARTNER_ACCESS_TOKEN", "two\nlines", /no header of a request can carry/],
    ["PARTNER_PROXY_URL", "proxy:3128", /is not one address such as/],
    ["PARTNER_CALL_TIMEOUT", "999ms", /is shorter than 1000ms/],
    ["PARTNER_CONNECT_TIMEOUT", "999ms", /is shorter than 1000ms/],
    ["PARTNER_CALL_TIMEOUT", "0", /is not a duration/],
    ["PARTNER_CALL_TIMEOUT", "-1s", /is not a duration/],
    ["PARTNER_CALL_TIMEOUT", "1.5s", /is not a duration/],
    ["PARTNER_CALL_TIMEOUT", "1d", /is not a duration/],
    ["PARTNER_KEEP_ALIVE", "5", /is not a duration/],
    ["PARTNER_KEEP_ALIVE", "00", /is not a duration/],
    ["PARTNER_MAX_CONNECTIONS", "0", /is not a whole number from 1/],
    ["PARTNER_MAX_CONNECTIONS", "1e3", /is not a whole number/],
    ["PARTNER_MAX_CONNECTIONS", "0x10", /is not a whole number/],
    ["PARTNER_MAX_RESPONSE_BYTES", "524289", /from 0 to 524288/],
    ["PARTNER_ACCEPT_DOUBT_STATUSES", "409,200", /holds "200"/],
    ["PARTNER_ACCEPT_DOUBT_STATUSES", "6xx", /holds "6xx"/],
    ["PARTNER_QUOTE_ID_POINTER", "quoteId", /is not a JSON pointer/],
    ["PARTNER_LOG_ENTRIES_POINTER", "entries", /is not a JSON pointer/],
    ["PARTNER_LOG_END_PARAMETER", "end date", /is not the name of a parameter/],
    ["PARTNER_LOG_END_PARAMETER", "startDate", /is the name of another parameter/],
    ["PARTNER_LOG_MAX_BYTES", "0", /is not a whole number from 1/],
    ["RECONCILE_EVERY", "999ms", /is shorter than 1000ms/],
    ["RECONCILE_MIN_AGE", "10", /is not a duration/],
    ["FLOWS", "webhooks,logs", /is none of webhooks, commands, reconcile/],
    ["FLOWS", ",", /names none of/],
    ["WEBHOOK_PORT", "65536", /from 0 to 65535/],
    ["WEBHOOK_PATH", "webhooks", /is not a path/],
    ["WEBHOOK_PATH", "/webhooks/", /is not a path/],
    ["WEBHOOK_PATH", "/:anything", /is not a path/],
    ["WEBHOOK_AUTH", "basic", /is none of path-token, header, hmac, standard-webhooks, none/],
    ["WEBHOOK_SIGNATURE_HEADER", "x signature", /is not a header's name/],
    ["WEBHOOK_ALLOWED_CIDRS", "10.0.0.0/33", /holds "10.0.0.0\/33"/],
    ["WEBHOOK_ALLOWED_CIDRS", "10.0.0.0/8,example.org", /holds "example.org"/],
    ["WEBHOOK_TRUSTED_PROXY_CIDRS", "::1/129", /holds "::1\/129"/],
    ["WEBHOOK_ALLOWED_CIDRS", "fe80::%eth0/10", /holds "fe80::%eth0\/10"/],
    ["WEBHOOK_MAX_BODY_BYTES", "524289", /from 1 to 524288/],
    ["WEBHOOK_DEDUP_WINDOW", "2 h", /is not a duration/],
    ["COMMANDS_DEADLINE", "1000h", /is longer than/],
    ["TOPIC_COMMANDS", "fx/commands", /is not a topic name/],
    ["TOPIC_COMMANDS", "..", /is not a topic name/],
    ["TOPIC_COMMANDS", "x".repeat(250), /is not a topic name/],
    ["TOPIC_REPLICATION_FACTOR", "-2", /from -1/],
    ["LOG_LEVEL", "verbose", /is none of/],
    ["SHUTDOWN_TIMEOUT", "5s", /is shorter than/],
  ])("%s=%.40j", (variable, value, message) => {
    const [problem, ...others] = problemsOf({ [variable]: value });
    expect(problem).toMatch(new RegExp(`^${variable} `));
    expect(problem).toMatch(message);
    expect(others, "one mistake, one problem").toEqual([]);
  });

  test.each([
    [
      "KAFKA_BROKERS",
      "kafka-1,kafka-2:9092,kafka-3",
      `"kafka-1" and "kafka-3", each of which is no host:port`,
    ],
    ["PARTNER_ACCEPT_DOUBT_STATUSES", "200,409,6xx", `"200" and "6xx", each of which is no HTTP status`],
    ["WEBHOOK_ALLOWED_CIDRS", "1.2.3.4/33,10.0.0.0/8,a", `"1.2.3.4/33" and "a", each of which is no range`],
    [
      "FLOWS",
      "logs,webhooks,events",
      `"logs" and "events", each of which is none of webhooks, commands, reconcile`,
    ],
  ])("%s=%s: every item that is wrong is named", (variable, value, message) => {
    expect(problemsOf({ [variable]: value })).toEqual([
      expect.stringContaining(`${variable} holds ${message}`),
    ]);
  });

  test("beside a flow that is none, what the others need is reported", () => {
    expect(problemsOf({ FLOWS: "commands,logs", PARTNER_X_TOKEN: undefined })).toEqual([
      expect.stringMatching(/^FLOWS holds "logs", which is none of/),
      expect.stringMatching(/^PARTNER_X_TOKEN is not set, which the commands flow needs/),
    ]);
  });

  test("where FLOWS names no flow, what the default ones need is reported", () => {
    expect(problemsOf({ FLOWS: "logs", PARTNER_X_TOKEN: undefined })).toEqual([
      expect.stringMatching(/^FLOWS holds "logs", which is none of/),
      expect.stringMatching(/^PARTNER_X_TOKEN is not set, which the commands flow needs/),
    ]);
  });

  test("all of them are reported at once, with the missing and the unknown ones", () => {
    const problems = problemsOf({
      KAFKA_BROKERS: undefined,
      FLOWS: "nonsense",
      WEBHOOK_PORT: "none",
      COMMANDS_MAX_AGE: "old",
      PARTNER_NAMES: "acme",
      KAFKA_SASL_MECHANISM: "plain",
      KAFKA_TLS: "true",
      TOPIC_COMMANDS: "fx.dead-letters",
      PARTNER_PROXY_URL: "http://%@proxy",
      WEBHOOK_ALLOWED_CIDRS: "fe80::1%eth0/64",
      WEBHOOK_TRUSTED_PROXY_CIDRS: "0.0.0.0/0",
      PARTNER_TLS_CA_FILE: key,
    });
    expect(problems.map((problem) => problem.split(" ", 1)[0]).sort()).toEqual([
      "COMMANDS_MAX_AGE",
      "FLOWS",
      "KAFKA_BROKERS",
      "KAFKA_SASL_PASSWORD",
      "KAFKA_SASL_USERNAME",
      "PARTNER_NAMES",
      "PARTNER_PROXY_URL",
      "PARTNER_TLS_CA_FILE",
      "TOPIC_DEAD_LETTERS",
      "WEBHOOK_ALLOWED_CIDRS",
      "WEBHOOK_PORT",
      "WEBHOOK_TRUSTED_PROXY_CIDRS",
    ]);
  });
});

describe("values that can be read", () => {
  test.each([
    ["500ms", 500],
    ["5s", 5_000],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["596h", 2_145_600_000],
  ])("the duration %s", (text, ms) => {
    expect(configOf({ WEBHOOK_DEDUP_WINDOW: text }).webhook.dedupWindowMs).toBe(ms);
  });
  test.each([
    ["0", 0],
    ["0s", 0],
    ["5s", 5_000],
  ])("the duration %s, where there may be none", (text, ms) => {
    expect(configOf({ PARTNER_KEEP_ALIVE: text }).partner.keepAliveMs).toBe(ms);
  });
  test("lists are trimmed, and lose empty and repeated items", () => {
    const config = configOf({
      KAFKA_BROKERS: "kafka-1:9092, 10.0.0.1:9093 ,,[::1]:9094",
      FLOWS: "commands, commands",
      WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8, 192.0.2.7 ,2001:db8::/32",
      PARTNER_CURRENCIES: " JPY ,GBP",
    });
    expect(config.kafka.brokers).toEqual(["kafka-1:9092", "10.0.0.1:9093", "[::1]:9094"]);
    expect(config.bridge.flows).toEqual(["commands"]);
    expect(config.webhook.allowedCidrs).toEqual(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);
    expect(config.partner.currencies).toEqual(["JPY", "GBP"]);
  });
  test("URLs lose their trailing slash", () => {
    expect(configOf({ PARTNER_BASE_URL: "https://partner.example/api//" }).partner.baseUrl).toBe(
      "https://partner.example/api",
    );
  });
  test("the configuration is frozen", () => {
    const config = configOf({});
    expect(Object.isFrozen(config)).toBe(true);
    for (const group of Object.values(config)) expect(Object.isFrozen(group)).toBe(true);
  });
});

describe("rules between settings", () => {
  const webhookKey = Buffer.alloc(24, 7).toString("base64");
  const standard = (secret: string) => ({ WEBHOOK_AUTH: "standard-webhooks", WEBHOOK_SECRET: secret });
  const scram = { KAFKA_SASL_MECHANISM: "scram-sha-512" };
  const plain = { KAFKA_SASL_MECHANISM: "plain", TOPIC_COMMANDS: "fx.dead-letters" };
  const local = { WEBHOOK_PORT: "9090", WEBHOOK_HOST: "127.0.0.1" };
  const carried = { WEBHOOK_SIGNATURE_HEADER: "x-secret" };
  const SERVE: Purpose[] = ["serve"];
  const CALLS: Purpose[] = ["serve", "partner", "reconcile"];
  const RECONCILE: Purpose[] = ["serve", "reconcile"];
  const KAFKA: Purpose[] = ["serve", "tool", "reconcile"];

  test.each<[Environment, variables: string[], Purpose[]]>([
    [{ PARTNER_CALL_TIMEOUT: "21s" }, ["PARTNER_CALL_TIMEOUT"], SERVE],
    [{ SHUTDOWN_TIMEOUT: "19s" }, ["PARTNER_CALL_TIMEOUT"], SERVE],
    [{ WEBHOOK_SECRET: undefined }, ["WEBHOOK_SECRET"], SERVE],
    [{ WEBHOOK_SECRET: " ,," }, ["WEBHOOK_SECRET"], SERVE],
    [{ WEBHOOK_SECRET: "." }, ["WEBHOOK_SECRET"], SERVE],
    [{ WEBHOOK_SECRET: "good,.." }, ["WEBHOOK_SECRET"], SERVE],
    [{ WEBHOOK_AUTH: "header", WEBHOOK_SECRET: "s" }, ["WEBHOOK_SIGNATURE_HEADER"], SERVE],
    [{ WEBHOOK_AUTH: "hmac", WEBHOOK_SECRET: "s" }, ["WEBHOOK_SIGNATURE_HEADER"], SERVE],
    [standard(`whsec_${webhookKey},whsec_no base64!`), ["WEBHOOK_SECRET"], SERVE],
    [standard("whsec_"), ["WEBHOOK_SECRET"], SERVE],
    [{ WEBHOOK_PORT: "9090" }, ["WEBHOOK_PORT"], SERVE],
    [local, ["WEBHOOK_PORT"], SERVE],
    [{ ...local, MANAGEMENT_HOST: "127.0.0.1" }, ["WEBHOOK_PORT"], SERVE],
    [{ PARTNER_TLS_CERT_FILE: cert }, ["PARTNER_TLS_KEY_FILE"], CALLS],
    [{ PARTNER_TLS_KEY_FILE: key }, ["PARTNER_TLS_CERT_FILE"], CALLS],
    [{ RECONCILE_WINDOW: "73h" }, ["RECONCILE_LOOKBACK"], RECONCILE],
    [{ RECONCILE_MIN_AGE: "26h" }, ["RECONCILE_WINDOW"], RECONCILE],
    [{ RECONCILE_EVERY: "1551m" }, ["RECONCILE_WINDOW"], RECONCILE],
    [{ SCHEMA_REGISTRY_USERNAME: "u" }, ["SCHEMA_REGISTRY_PASSWORD"], KAFKA],
    [{ SCHEMA_REGISTRY_PASSWORD: "p" }, ["SCHEMA_REGISTRY_USERNAME"], KAFKA],
    [{ KAFKA_TLS: "true", KAFKA_TLS_CERT_FILE: cert }, ["KAFKA_TLS_KEY_FILE"], KAFKA],
    [{ ...scram, KAFKA_SASL_PASSWORD: "p" }, ["KAFKA_SASL_USERNAME"], KAFKA],
    [{ ...scram, KAFKA_SASL_USERNAME: "u" }, ["KAFKA_SASL_PASSWORD"], KAFKA],
    [{ KAFKA_SASL_PASSWORD: "p" }, ["KAFKA_SASL_MECHANISM"], KAFKA],
    [{ TOPIC_COMMANDS: "one", TOPIC_COMMAND_RESULTS: "one" }, ["TOPIC_COMMAND_RESULTS"], KAFKA],
    [{ TOPIC_DEAD_LETTERS: "fx.commands" }, ["TOPIC_DEAD_LETTERS"], KAFKA],
    [{ TOPIC_TRANSACTION_STATUS: "fx.dead-letters" }, ["TOPIC_DEAD_LETTERS"], KAFKA],
    [
      { TOPIC_COMMANDS: "x", TOPIC_COMMAND_JOURNAL: "x", TOPIC_DEAD_LETTERS: "x" },
      ["TOPIC_COMMAND_JOURNAL", "TOPIC_DEAD_LETTERS"],
      KAFKA,
    ],
    [{ PARTNER_CALL_TIMEOUT: "20s" }, [], SERVE],
    [{ WEBHOOK_AUTH: "none", WEBHOOK_SECRET: undefined }, [], SERVE],
    [{ WEBHOOK_AUTH: "hmac", WEBHOOK_SIGNATURE_HEADER: "X-Signature" }, [], SERVE],
    [standard(`whsec_${webhookKey}, ${webhookKey}`), [], SERVE],
    [{ FLOWS: "commands", WEBHOOK_SECRET: "," }, [], SERVE],
    [{ WEBHOOK_SECRET: "caf\u00e9/ 1" }, [], SERVE],
    [{ ...carried, WEBHOOK_AUTH: "header", WEBHOOK_SECRET: "caf\u00e9 1" }, [], SERVE],
    [{ ...carried, WEBHOOK_AUTH: "hmac", WEBHOOK_SECRET: "first,\n second\n\n" }, [], SERVE],
    [{ ...local, WEBHOOK_HOST: "10.0.0.1", MANAGEMENT_HOST: "127.0.0.1" }, [], SERVE],
    [{ WEBHOOK_PORT: "0", MANAGEMENT_PORT: "0" }, [], SERVE],
    [{ WEBHOOK_PORT: "9090", FLOWS: "commands" }, [], SERVE],
    [{ FLOWS: "webhooks,commands", RECONCILE_WINDOW: "73h" }, ["RECONCILE_LOOKBACK"], ["reconcile"]],
    [{ FLOWS: "webhooks,commands", RECONCILE_MIN_AGE: "26h" }, ["RECONCILE_WINDOW"], ["reconcile"]],
    [{ RECONCILE_WINDOW: "25m", RECONCILE_LOOKBACK: "25m" }, [], RECONCILE],
    [{ RECONCILE_MIN_AGE: "0" }, [], RECONCILE],
    [
      { ...plain },
      ["KAFKA_SASL_USERNAME", "KAFKA_SASL_PASSWORD", "KAFKA_SASL_MECHANISM", "TOPIC_DEAD_LETTERS"],
      KAFKA,
    ],
  ])("%j: %j", (env, variables, purposes) => {
    for (const purpose of ["serve", "tool", "partner", "reconcile"] as const)
      expect(refused(env, purpose), purpose).toEqual(purposes.includes(purpose) ? variables : []);
  });

  test.each<[Environment, RegExp]>([
    [{ TOPIC_COMMANDS: "one", TOPIC_COMMAND_RESULTS: "one" }, /^TOPIC_COMMAND_RESULTS .*TOPIC_COMMANDS/],
    [{ WEBHOOK_PORT: "9090" }, /^WEBHOOK_PORT .*MANAGEMENT_PORT/],
    [{ WEBHOOK_SECRET: "good,.." }, /^WEBHOOK_SECRET holds a secret that/],
    [standard("whsec_"), /^WEBHOOK_SECRET holds a secret that/],
  ])("%j: the message says what else is concerned", (env, message) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(message)]);
  });
});

describe("unknown variables", () => {
  test.each([
    ["WEBHOOK_SECRETS", "WEBHOOK_SECRET"],
    ["PARTNER_CALL_TIMEOUT_MS", "PARTNER_CALL_TIMEOUT"],
    ["COMMANDS_MAX_INFLIGHT", "COMMANDS_MAX_IN_FLIGHT"],
    ["TOPIC_COMMAND_RESULT", "TOPIC_COMMAND_RESULTS"],
    ["PARTNER_TOKEN_FILE", "PARTNER_X_TOKEN_FILE"],
    ["RECONCILE_INTERVAL", "RECONCILE_EVERY"],
    ["RECONCILE_LOOK_BACK", "RECONCILE_LOOKBACK"],
    ["PARTNER_XTOKEN", "PARTNER_X_TOKEN"],
  ])("%s is refused: did you mean %s?", (name, meant) => {
    expect(problemsOf({ [name]: "value-that-is-not-repeated" })).toEqual([
      `${name} is not a setting of cambio-bridge: did you mean ${meant}?`,
    ]);
    expect(problemsOf({ [name]: "x" }, "tool"), "to a tool as well").toHaveLength(1);
  });

  test.each([
    ["KAFKA_HEAP_OPTS", "KAFKA_"],
    ["SCHEMA_REGISTRY_URLS", "SCHEMA_REGISTRY_URL"],
    ["MANAGEMENT_PORTS", "MANAGEMENT_PORT"],
  ])("%s is only warned about", (name, meant) => {
    expect(warningsOf({ [name]: "x" })).toEqual([expect.stringContaining(`did you mean ${meant}`)]);
  });

  test("variables that Kubernetes injects for services are ignored", () => {
    const injected = (service: string, port: string): Record<string, string> => ({
      [`${service}_SERVICE_HOST`]: "10.0.0.1",
      [`${service}_SERVICE_PORT`]: port,
      [`${service}_SERVICE_PORT_HTTP`]: port,
      [`${service}_PORT`]: `tcp://10.0.0.1:${port}`,
      [`${service}_PORT_${port}_TCP`]: `tcp://10.0.0.1:${port}`,
      [`${service}_PORT_${port}_TCP_PROTO`]: "tcp",
      [`${service}_PORT_${port}_TCP_PORT`]: port,
      [`${service}_PORT_${port}_TCP_ADDR`]: "10.0.0.1",
    });
    const env = {
      ...injected("PARTNER_API", "443"),
      ...injected("WEBHOOK_RECEIVER", "80"),
      ...injected("TOPIC_ADMIN", "80"),
      ...injected("KAFKA", "9092"),
      ...injected("SCHEMA_REGISTRY", "8081"),
    };
    expect(warningsOf(env)).toEqual([]);
  });

  test.each(["WEBHOOK_PORT", "MANAGEMENT_PORT"])(
    "a %s from Kubernetes is told where it comes from",
    (name) => {
      const service = name.replace("_PORT", "").toLowerCase();
      expect(problemsOf({ [name]: "tcp://10.0.0.1:80" })).toEqual([
        expect.stringMatching(new RegExp(`^${name} .*Kubernetes.*"${service}".*enableServiceLinks`)),
      ]);
    },
  );

  test("all other variables are ignored", () => {
    expect(warningsOf({ PATH: "/bin", HOME: "/", NODE_OPTIONS: "", LOGLEVEL: "x", FLOW: "x" })).toEqual([]);
  });
});

test("no message repeats a secret's value", () => {
  const secret = "s3cr3t\nvalue";
  for (const variable of [
    "PARTNER_ACCESS_TOKEN",
    "PARTNER_X_TOKEN",
    "PARTNER_PROXY_URL",
    "WEBHOOK_SECRET",
    "KAFKA_SASL_PASSWORD",
    "SCHEMA_REGISTRY_PASSWORD",
  ]) {
    const both = { [variable]: secret, [`${variable}_FILE`]: fileWith("secret", secret) };
    const loaded = [
      load({ [variable]: secret, WEBHOOK_AUTH: "standard-webhooks" }),
      load({ [variable]: undefined, [`${variable}_FILE`]: fileWith("secret", secret) }),
      load(both),
    ];
    expect(JSON.stringify(loaded), variable).not.toContain("s3cr3t");
    expect(JSON.stringify(loaded[2]), "one of them may be set").toContain("set one of them");
  }
});

test("the environment that the tests start from has no problem", () => {
  expect(loadConfig(complete, "serve")).toMatchObject({ ok: true, warnings: [] });
});
