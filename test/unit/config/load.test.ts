import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import type { Purpose } from "../../../src/config/config.ts";
import { complete, configOf, load, problemsOf, warningsOf } from "./environment.ts";

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
  const missing = (env: Record<string, string>, purpose: Purpose = "serve"): string[] => {
    const loaded = loadConfig(env, purpose);
    return loaded.ok ? [] : loaded.problems.map(({ variable }) => variable).sort();
  };

  test("an empty environment gets all problems at once", () => {
    expect(missing({})).toEqual([
      "KAFKA_BROKERS",
      "PARTNER_ACCESS_TOKEN",
      "PARTNER_BASE_URL",
      "PARTNER_NAME",
      "PARTNER_X_TOKEN",
      "SCHEMA_REGISTRY_URL",
      "WEBHOOK_AUTH",
    ]);
  });
  test("a tool needs Kafka and the registry only", () => {
    expect(missing({}, "tool")).toEqual(["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL"]);
  });
  test("each flow needs its own", () => {
    expect(missing({ FLOWS: "webhooks" })).toEqual([
      "KAFKA_BROKERS",
      "PARTNER_BASE_URL",
      "SCHEMA_REGISTRY_URL",
      "WEBHOOK_AUTH",
    ]);
    expect(missing({ FLOWS: "commands" })).toEqual([
      "KAFKA_BROKERS",
      "PARTNER_ACCESS_TOKEN",
      "PARTNER_BASE_URL",
      "PARTNER_NAME",
      "PARTNER_X_TOKEN",
      "SCHEMA_REGISTRY_URL",
    ]);
  });
  const CALLS = ["PARTNER_ACCESS_TOKEN", "PARTNER_BASE_URL", "PARTNER_NAME", "PARTNER_X_TOKEN"];
  test("the reconcile flow needs the settings of partner calls", () => {
    expect(missing({ FLOWS: "reconcile" })).toEqual(["KAFKA_BROKERS", ...CALLS, "SCHEMA_REGISTRY_URL"]);
  });
  test("a command that only calls the partner needs neither Kafka nor the registry", () => {
    expect(missing({}, "partner")).toEqual(CALLS);
    expect(missing({}, "reconcile")).toEqual(["KAFKA_BROKERS", ...CALLS, "SCHEMA_REGISTRY_URL"]);
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
    });
    expect(problems.map((problem) => problem.split(" ", 1)[0]).sort()).toEqual([
      "COMMANDS_MAX_AGE",
      "FLOWS",
      "KAFKA_BROKERS",
      "KAFKA_SASL_PASSWORD",
      "KAFKA_SASL_USERNAME",
      "PARTNER_NAMES",
      "WEBHOOK_PORT",
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

  test.each([
    ["a call longer than a drain", { PARTNER_CALL_TIMEOUT: "21s" }, "PARTNER_CALL_TIMEOUT"],
    ["a drain shorter than a call", { SHUTDOWN_TIMEOUT: "19s" }, "PARTNER_CALL_TIMEOUT"],
    ["path-token without a secret", { WEBHOOK_SECRET: undefined }, "WEBHOOK_SECRET"],
    ["a secret of commas", { WEBHOOK_SECRET: " ,," }, "WEBHOOK_SECRET"],
    ["header without its name", { WEBHOOK_AUTH: "header", WEBHOOK_SECRET: "s" }, "WEBHOOK_SIGNATURE_HEADER"],
    ["hmac without a header", { WEBHOOK_AUTH: "hmac", WEBHOOK_SECRET: "s" }, "WEBHOOK_SIGNATURE_HEADER"],
    [
      "standard-webhooks with a secret that is no base64",
      { WEBHOOK_AUTH: "standard-webhooks", WEBHOOK_SECRET: `whsec_${webhookKey},whsec_no base64!` },
      "WEBHOOK_SECRET",
    ],
    [
      "standard-webhooks with nothing behind the prefix",
      { WEBHOOK_AUTH: "standard-webhooks", WEBHOOK_SECRET: "whsec_" },
      "WEBHOOK_SECRET",
    ],
    ["a partner certificate without its key", { PARTNER_TLS_CERT_FILE: cert }, "PARTNER_TLS_KEY_FILE"],
    ["a partner key without its certificate", { PARTNER_TLS_KEY_FILE: key }, "PARTNER_TLS_CERT_FILE"],
  ])("%s", (_, over, variable) => {
    expect(problemsOf(over)).toEqual([expect.stringMatching(new RegExp(`^${variable} `))]);
    expect(problemsOf(over, "tool"), "no matter to a tool").toEqual([]);
  });

  const reconcile = { FLOWS: "webhooks,reconcile" };
  test.each([
    ["a lookback shorter than the window", { RECONCILE_WINDOW: "73h" }, "RECONCILE_LOOKBACK"],
    ["a window that holds nothing of age", { RECONCILE_MIN_AGE: "26h" }, "RECONCILE_WINDOW"],
    ["a window with a gap to the next", { RECONCILE_EVERY: "1551m" }, "RECONCILE_WINDOW"],
  ])("%s", (_, over, variable) => {
    const problem = [expect.stringMatching(new RegExp(`^${variable} `))];
    expect(problemsOf({ ...reconcile, ...over })).toEqual(problem);
    expect(problemsOf(over, "reconcile")).toEqual(problem);
    for (const purpose of ["tool", "partner"] as const) expect(problemsOf(over, purpose)).toEqual([]);
    expect(problemsOf({ ...over, FLOWS: "webhooks,commands" }), "no matter without that flow").toEqual([]);
  });

  test("a client certificate for the partner needs its key", () => {
    for (const purpose of ["partner", "reconcile"] as const)
      expect(problemsOf({ PARTNER_TLS_CERT_FILE: cert }, purpose)).toEqual([
        expect.stringMatching(/^PARTNER_TLS_KEY_FILE /),
      ]);
  });

  test("problems with Kafka's settings do not concern a command that only calls the partner", () => {
    expect(
      problemsOf({ KAFKA_SASL_MECHANISM: "plain", TOPIC_COMMANDS: "fx.dead-letters" }, "partner"),
    ).toEqual([]);
  });

  test.each([
    ["a user without a password", { SCHEMA_REGISTRY_USERNAME: "u" }, "SCHEMA_REGISTRY_PASSWORD"],
    ["a password without a user", { SCHEMA_REGISTRY_PASSWORD: "p" }, "SCHEMA_REGISTRY_USERNAME"],
    [
      "a Kafka certificate without its key",
      { KAFKA_TLS: "true", KAFKA_TLS_CERT_FILE: cert },
      "KAFKA_TLS_KEY_FILE",
    ],
    [
      "a mechanism without a user",
      { KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_PASSWORD: "p" },
      "KAFKA_SASL_USERNAME",
    ],
    [
      "a mechanism without a password",
      { KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_USERNAME: "u" },
      "KAFKA_SASL_PASSWORD",
    ],
    ["a password without a mechanism", { KAFKA_SASL_PASSWORD: "p" }, "KAFKA_SASL_MECHANISM"],
  ])("%s, which a tool must not go without either", (_, over, variable) => {
    for (const purpose of ["serve", "tool"] as const)
      expect(problemsOf(over, purpose)).toEqual([expect.stringMatching(new RegExp(`^${variable} `))]);
  });

  test.each([
    ["a call as long as a drain allows", { PARTNER_CALL_TIMEOUT: "20s" }],
    ["none without a secret", { WEBHOOK_AUTH: "none", WEBHOOK_SECRET: undefined }],
    ["hmac with all it needs", { WEBHOOK_AUTH: "hmac", WEBHOOK_SIGNATURE_HEADER: "X-Signature" }],
    [
      "standard-webhooks keys with and without prefix",
      { WEBHOOK_AUTH: "standard-webhooks", WEBHOOK_SECRET: `whsec_${webhookKey}, ${webhookKey}` },
    ],
    ["a webhook secret that is wrong, without that flow", { FLOWS: "commands", WEBHOOK_SECRET: "," }],
    ["windows that just meet", { ...reconcile, RECONCILE_WINDOW: "25m", RECONCILE_LOOKBACK: "25m" }],
    ["every notification at once", { ...reconcile, RECONCILE_MIN_AGE: "0" }],
  ])("%s is fine", (_, over) => {
    expect(problemsOf(over)).toEqual([]);
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
