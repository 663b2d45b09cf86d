import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { runCommand } from "../cli/run-command.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { complete, configOf, files, load, problemsOf, warningsOf } from "./environment.ts";

const { fileWith } = files();
const ONE_ADDRESS = "is not one http or https address";
const PROXY = "is not one address such as";
const ESCAPE = "begins no escape";
const DURATION = "is not a duration such as";

test.each([
  ["KAFKA_BROKERS", "kafka-1,kafka-2:9092,kafka-3", '"kafka-1" and "kafka-3", each of which is no host'],
  ["KAFKA_BROKERS", "user:p@ss@kafka-1:9092", 'holds "…@kafka-1:9092", which is no host:port'],
  ["KAFKA_BROKERS", " , ", "is empty"],
  ["KAFKA_BROKERS", "[::1]:9092", "an IPv6 address needs a name"],
  ["KAFKA_GROUP_ID", "text\r", "a line break"],
  ["KAFKA_SESSION_TIMEOUT", "5s", "is shorter than 6000ms"],
  ["KAFKA_TLS", "yes", "is neither true nor false"],
  ["KAFKA_TLS_CA_FILE", "/no/such/file.pem", "cannot be read (ENOENT): /no/such/file.pem"],
  ["KAFKA_SASL_MECHANISM", "PLAIN", "is none of plain, scram-sha-256, scram-sha-512"],
  ["KAFKA_OAUTH_TOKEN_ENDPOINT", "https://a.example/t?x=1,https://b.example", ONE_ADDRESS],
  ["KAFKA_OAUTH_TOKEN_FILE", fileWith("\ufefftoken"), "names a file that holds no token"],
  ["KAFKA_OAUTH_EXTENSIONS", "auth=x", 'holds "auth=x", which is no SASL extension'],
  ["SCHEMA_REGISTRY_URL", "http://me:pass-word@registry", "credentials, which have settings"],
  ["SCHEMA_REGISTRY_URL", "http://registry?x=1", "query or a fragment"],
  ["SCHEMA_REGISTRY_USERNAME", "a:b", "has no colon"],
  ["SCHEMA_REGISTRY_TOKEN", "Bearer secret", "begins with Bearer"],
  ["SCHEMA_REGISTRY_HEADERS", "Content-Type=x", "which each request has already"],
  ["SCHEMA_REGISTRY_HEADERS", "a=1,A=2", "names a twice"],
  ["PARTNER_BASE_URL", "https://part\nner.example", ONE_ADDRESS],
  ["PARTNER_BASE_URL", "https://partner.example:0", "port 0"],
  ["PARTNER_NAME", "acme\r\nx-evil: 1", "no header of a request can carry"],
  ["PARTNER_ACCESS_TOKEN", "secret\nlines", "no header of a request can carry"],
  ["PARTNER_PROXY_URL", "proxy:3128", PROXY],
  ["PARTNER_PROXY_URL", "http://user:secret%@proxy:3128", ESCAPE],
  ["PARTNER_CONNECT_TIMEOUT", "999ms", "is shorter than 1000ms"],
  ["PARTNER_CALL_TIMEOUT", "1.5s", DURATION],
  ["PARTNER_MAX_RESPONSE_BYTES", "524289", "from 0 to 524288"],
  ["PARTNER_ACCEPT_DOUBT_STATUSES", "200,409,6xx", '"200" and "6xx", each of which is no HTTP status'],
  ["PARTNER_QUOTE_ID_POINTER", "quoteId", "is not a JSON pointer"],
  [
    "PARTNER_FAILED_WHEN",
    "/a=1,status=ERROR,/b=",
    '"status=ERROR" and "/b=", each of which is no JSON pointer',
  ],
  ["PARTNER_RESULT_FIELDS", "rate=/a,/b", 'holds "/b", which is no name and JSON pointer'],
  ["PARTNER_RESULT_FIELDS", "rate=/a,rate=/b", "names rate twice"],
  ["PARTNER_EVENT_FIELDS", Array.from({ length: 17 }, (_, n) => `f${n}=/a`).join(), "names more than 16"],
  ["PARTNER_EVENT_FIELDS", "__proto__=/a", 'holds "__proto__=/a"'],
  ["PARTNER_LOG_END_PARAMETER", "startDate", "or it is that of another one"],
  ["FLOWS", "webhooks,logs", 'holds "logs", which is none of webhooks, commands, reconcile'],
  ["FLOWS", ",", "is empty"],
  ["WEBHOOK_PORT", "65536", "from 0 to 65535"],
  ["WEBHOOK_PORT", "tcp://10.0.0.1:80", "Kubernetes"],
  ["WEBHOOK_PATH", "/webhooks/", "is not a path"],
  ["WEBHOOK_PATH", "/webhooks/../status", "is not a path"],
  ["WEBHOOK_HOST", "[::1]", "is not an address or a name"],
  ["WEBHOOK_SIGNATURE_PREFIX", " sha256=", "is not the beginning"],
  ["WEBHOOK_SIGNATURE_HEADER", "x signature", "is not a header's name"],
  ["WEBHOOK_ALLOWED_CIDRS", "1.2.3.4/33,10.0.0.0/8,a", '"1.2.3.4/33" and "a", each of which is no range'],
  ["WEBHOOK_ALLOWED_CIDRS", "fe80::%eth0/10", 'holds "fe80::%eth0/10"'],
  ["CONSOLE_TRUSTED_PROXY_CIDRS", "::/0", "every address"],
  ["WEBHOOK_TRUSTED_PROXY_CIDRS", "10.1.2.3/0", "every address"],
  ["CONSOLE_ORIGIN", "http://console.example", "is not https"],
  ["CONSOLE_ORIGIN", "https://console.example:443", "is not an origin"],
  ["COMMANDS_DEADLINE", "1000h", "is longer than"],
  ["COMMANDS_MAX_AMOUNT", "USD=250000,EUR=200.000,00", 'holds "00", which is no limit'],
  ["COMMANDS_MAX_AMOUNT", "USD=1,USD=2", "names USD twice"],
  ["TOPIC_COMMANDS", "fx/commands", "is not a topic name"],
  ["TOPIC_REPLICATION_FACTOR", "0", "from 1 to 32"],
])("values that cannot be read: %s=%.40j", (variable, value, message) => {
  for (const purpose of ["serve", "tool"] as const) {
    const [problem, ...others] = problemsOf({ [variable]: value }, purpose);
    expect(problem?.startsWith(`${variable} `)).toBe(true);
    expect(problem).toContain(message);
    expect(problem).not.toContain("secret");
    expect(others, "one mistake, one problem").toEqual([]);
  }
});

describe("certificates and keys", () => {
  const ecKey = (more: object = {}) =>
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem", ...more })
      .toString();
  const [cert, key] = [fileWith(TEST_CERT), fileWith(TEST_KEY)];
  const lockedKey = fileWith(ecKey({ cipher: "aes-256-cbc", passphrase: "s3cr3t" }));
  const truncated = fileWith(`${TEST_CERT}\n${TEST_CERT.slice(0, 300)}`);
  const broken = fileWith(`${TEST_CERT}\n${TEST_CERT.replace("MIIB", "MIIX")}`);
  const bundle = fileWith(`# two of them\n${TEST_CERT}\n# and one more\n${TEST_CERT}\n`);
  const tls = { KAFKA_TLS: "true" };

  test.each(["KAFKA_TLS_CA_FILE", "SCHEMA_REGISTRY_CA_FILE", "PARTNER_TLS_CA_FILE"])("%s", (variable) => {
    expect(problemsOf({ ...tls, [variable]: bundle })).toEqual([]);
    for (const file of [fileWith(""), fileWith("PEM"), key, truncated, broken])
      expect(problemsOf({ ...tls, [variable]: file })).toEqual([
        `${variable} names a file that holds no certificates in PEM, or broken ones: ${file}`,
      ]);
  });

  test.each(["KAFKA", "PARTNER"])("%s: a pair", (owner) => {
    const problems = (certFile: string, keyFile: string) =>
      problemsOf({ ...tls, [`${owner}_TLS_CERT_FILE`]: certFile, [`${owner}_TLS_KEY_FILE`]: keyFile });
    expect(problems(cert, key)).toEqual([]);
    expect(problems(bundle, key)).toEqual([]);
    expect(problems(cert, fileWith(ecKey()))).toEqual([
      `${owner}_TLS_KEY_FILE does not fit the certificate in ${owner}_TLS_CERT_FILE`,
    ]);
    for (const file of [cert, fileWith("PEM"), lockedKey])
      expect(problems(cert, file)).toEqual([
        `${owner}_TLS_KEY_FILE names a file that holds no private key in PEM, or one with a passphrase: ${file}`,
      ]);
  });

  test.each([
    ["KAFKA_TLS_KEY_FILE", TEST_KEY],
    ["KAFKA_TLS_CERT_FILE", "k".repeat(256)],
    ["PARTNER_TLS_CA_FILE", TEST_CERT],
    ["KAFKA_OAUTH_TOKEN_FILE", `eyJhbGciOiJSUzI1NiJ9.${"c".repeat(80)}.signature-of-the-token`],
    ["CONSOLE_USERS_FILE", `ana:operator:$2b$10$${"h".repeat(53)}`],
    ["KAFKA_SASL_PASSWORD_FILE", `eyJhbGciOiJSUzI1NiJ9.${"c".repeat(80)}.signature-of-the-token`],
  ])(
    "%s that holds the text itself: that is said, and the text is shown nowhere",
    async (variable, text) => {
      const env = { ...tls, CONSOLE_AUTH: "basic", [variable]: text };
      expect(problemsOf(env, "console").join()).toContain(
        "holds the key or the text itself, not the name of",
      );
      for (const command of [["config", "--json"], ["doctor"], ["console"]]) {
        const { out, err } = await runCommand({ ...complete, KAFKA_BROKERS: "127.0.0.1:1", ...env }, command);
        expect(out + err, command.join(" ")).not.toContain(text.slice(-30).trim());
      }
    },
    30_000,
  );

  test.each(["KAFKA_OAUTH_TOKEN_FILE", "KAFKA_SASL_PASSWORD_FILE"])(
    "%s that holds a short text: only a path is shown",
    async (variable) => {
      for (const [name, isShown] of [
        ["s3cr3t", false],
        ["/nowhere/s3cr3t", true],
      ] as const) {
        const env = { [variable]: name };
        const { out } = await runCommand({ ...complete, ...env }, ["config"]);
        expect(problemsOf(env).join()).toContain("(ENOENT)");
        expect(problemsOf(env).join().includes(name)).toBe(isShown);
        expect(out.includes(name)).toBe(isShown);
      }
    },
  );
});

describe("values that can be read", () => {
  test.each([
    ["500ms", 500],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["596h", 2_145_600_000],
    ["0", 0],
  ])("the duration %s", (text, ms) => {
    expect(configOf({ PARTNER_KEEP_ALIVE: text }).partner.keepAliveMs).toBe(ms);
  });

  test("lists are trimmed, and lose empty and repeated items; URLs lose a slash at the end", () => {
    const config = configOf({
      KAFKA_BROKERS: "kafka-1:9092, 10.0.0.1:9093 ,,",
      FLOWS: "commands, commands",
      WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8, 192.0.2.7 ,2001:db8::/32",
      PARTNER_CURRENCIES: " JPY ,GBP",
      PARTNER_EVENT_FIELDS: "rate = /quote/rate, a.b-c_1=/x=y",
      PARTNER_FAILED_WHEN: "/sucesso=false, /a~1b/0 = NOT=OK",
      PARTNER_BASE_URL: "https://partner.example/api//",
    });
    expect(config.kafka.brokers).toEqual(["kafka-1:9092", "10.0.0.1:9093"]);
    expect(config.bridge.flows).toEqual(["commands"]);
    expect(config.webhook.allowedCidrs).toEqual(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);
    expect(config.partner).toMatchObject({
      currencies: ["JPY", "GBP"],
      eventFields: [
        { name: "rate", pointer: "/quote/rate" },
        { name: "a.b-c_1", pointer: "/x=y" },
      ],
      resultFields: [],
      failedWhen: [
        { pointer: "/sucesso", value: "false" },
        { pointer: "/a~1b/0", value: "NOT=OK" },
      ],
      baseUrl: "https://partner.example/api",
    });
    expect([config, ...Object.values(config)].every((each) => Object.isFrozen(each))).toBe(true);
  });

  test.each([
    ["PARTNER_PROXY_URL", "http://us%65r:p%25w@proxy:3128"],
    ["CONSOLE_ORIGIN", "https://console.example:8443"],
    ["CONSOLE_ORIGIN", "http://localhost:8091"],
    ["WEBHOOK_ALLOWED_CIDRS", "10.1.2.3/0"],
    ["WEBHOOK_TRUSTED_PROXY_CIDRS", "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"],
  ])("%s=%s", (variable, value) => {
    expect(problemsOf({ [variable]: value })).toEqual([]);
  });
});

describe("secrets that nobody meant so", () => {
  const SETTINGS: Record<string, Record<string, string>> = {
    WEBHOOK_SECRET: { WEBHOOK_AUTH: "hmac", WEBHOOK_SIGNATURE_HEADER: "x-signature" },
    KAFKA_SASL_PASSWORD: { KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_USERNAME: "user" },
    SCHEMA_REGISTRY_PASSWORD: {
      SCHEMA_REGISTRY_USERNAME: "user",
      SCHEMA_REGISTRY_URL: "https://registry.example",
    },
    SCHEMA_REGISTRY_TOKEN: { SCHEMA_REGISTRY_URL: "https://registry.example" },
    SCHEMA_REGISTRY_HEADERS: {},
    PARTNER_ACCESS_TOKEN: {},
    PARTNER_PROXY_URL: {},
  };
  const GOOD: Record<string, string> = {
    PARTNER_PROXY_URL: "http://user:secret@proxy:3128",
    SCHEMA_REGISTRY_HEADERS: "x-key=secret",
  };
  const odd: [string, (text: string) => string | Buffer][] = [
    ["UTF-16", (text) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["a byte order mark", (text) => `\ufeff${text}`],
    ["a NUL", (text) => text.replace("ecre", "ec\u0000re")],
    ["a line break", (text) => text.replace("ecre", "ec\nre")],
    ["ISO 8859-1", (text) => Buffer.from(text.replace("ecre", "ecr\u00e9"), "latin1")],
  ];
  test.each(Object.keys(SETTINGS))("%s, from a file and from the variable", (variable) => {
    const over = SETTINGS[variable];
    const text = GOOD[variable] ?? "secret";
    expect(problemsOf({ ...over, [variable]: text })).toEqual([]);
    for (const [what, make] of odd) {
      const expected = [expect.stringMatching(new RegExp(`^${variable} (?!.*ecr)`))];
      const file = fileWith(make(text));
      expect(problemsOf({ ...over, [variable]: undefined, [`${variable}_FILE`]: file }), what).toEqual(
        expected,
      );
      expect(problemsOf({ ...over, [variable]: make(text).toString() }), what).toEqual(expected);
    }
  });

  test("no message repeats a secret's value; it comes from one place, which holds something", () => {
    const file = fileWith("s3cr3t\nvalue");
    for (const variable of Object.keys(SETTINGS)) {
      const both = load({ [variable]: "s3cr3t\nvalue", [`${variable}_FILE`]: file });
      expect(JSON.stringify(both), variable).not.toContain("s3cr3t");
      expect(JSON.stringify(both), variable).toContain("set one of them");
    }
    expect(problemsOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: fileWith(" \n") })).toEqual([
      "WEBHOOK_SECRET comes from WEBHOOK_SECRET_FILE, which is empty",
    ]);
    expect(problemsOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: "/no/file" })).toEqual([
      "WEBHOOK_SECRET comes from WEBHOOK_SECRET_FILE, which names a file that cannot be read (ENOENT): /no/file",
    ]);
  });

  test("the quotes of an env file are taken for a part of the value, and warned of", () => {
    const warning = (variable: string) =>
      `${variable} stands in quotes, which are taken for a part of it: leave them out`;
    for (const variable of ["PARTNER_NAME", "PARTNER_ACCESS_TOKEN", "WEBHOOK_SECRET", "KAFKA_GROUP_ID"])
      for (const value of ['"text of the setting"', "'text of the setting'"])
        expect(warningsOf({ [variable]: value })).toEqual([warning(variable)]);
    const file = fileWith('"secret of the file"\n');
    expect(warningsOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: file })).toEqual([
      warning("WEBHOOK_SECRET"),
    ]);
    expect(load({ KAFKA_TLS: '"true"' }).warnings).toHaveLength(1);
    for (const name of ['a"b', '"', "\"a'"]) expect(warningsOf({ KAFKA_CLIENT_ID: name })).toEqual([]);
  });
});

describe("unknown variables", () => {
  test.each([
    ["WEBHOOK_SECRETS", "WEBHOOK_SECRET"],
    ["PARTNER_CALL_TIMEOUT_MS", "PARTNER_CALL_TIMEOUT"],
    ["COMMANDS_MAX_INFLIGHT", "COMMANDS_MAX_IN_FLIGHT"],
    ["TOPIC_COMMAND_RESULT", "TOPIC_COMMAND_RESULTS"],
    ["RECONCILE_LOOK_BACK", "RECONCILE_LOOKBACK"],
    ["CONSOLE_FOUREYES", "CONSOLE_FOUR_EYES"],
    ["PARTNER_TOKEN_FILE", "PARTNER_X_TOKEN_FILE"],
  ])("%s is refused: did you mean %s?", (name, meant) => {
    for (const purpose of ["serve", "tool", "console"] as const)
      expect(problemsOf({ [name]: "value-that-is-not-repeated" }, purpose)).toEqual([
        `${name} is not a setting of cambio-bridge: did you mean ${meant}?`,
      ]);
  });

  test.each([
    ["KAFKA_HEAP_OPTS", "KAFKA_"],
    ["SCHEMA_REGISTRY_URLS", "SCHEMA_REGISTRY_URL"],
    ["MANAGEMENT_PORTS", "MANAGEMENT_PORT"],
  ])("%s is only warned about", (name, meant) => {
    expect(warningsOf({ [name]: "x" })).toEqual([expect.stringContaining(`did you mean ${meant}`)]);
  });

  test("those that Kubernetes injects for services, and all others, are ignored", () => {
    const injected = (service: string) => ({
      [`${service}_SERVICE_HOST`]: "10.0.0.1",
      [`${service}_SERVICE_PORT`]: "80",
      [`${service}_SERVICE_PORT_HTTP`]: "80",
      [`${service}_PORT`]: `tcp://10.0.0.1:80`,
      [`${service}_PORT_80_TCP`]: `tcp://10.0.0.1:80`,
      [`${service}_PORT_80_TCP_ADDR`]: "10.0.0.1",
    });
    const services = ["PARTNER_API", "WEBHOOK_RECEIVER", "TOPIC_ADMIN", "KAFKA", "SCHEMA_REGISTRY"];
    expect(warningsOf(Object.assign({}, ...services.map(injected)) as Record<string, string>)).toEqual([]);
    expect(warningsOf({ PATH: "/bin", NODE_OPTIONS: "", LOGLEVEL: "x", FLOW: "x" })).toEqual([]);
  });
});
