import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Environment } from "../../../src/config/load.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { problemsOf, refusedByAll, warningsOf } from "./environment.ts";

const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-refused-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fileWith = (text: string): string => {
  const file = join(folder, `file-${++files}`);
  writeFileSync(file, text);
  return file;
};
const cert = fileWith(TEST_CERT);
const key = fileWith(TEST_KEY);

describe("secrets that would be sent in clear", () => {
  const pair = { KAFKA_TLS_CERT_FILE: cert, KAFKA_TLS_KEY_FILE: key };
  const sasl = (mechanism: string) => ({
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: "user",
    KAFKA_SASL_PASSWORD: "sasl-text",
  });

  test.each([
    [
      "certificates",
      { ...pair, KAFKA_TLS_CA_FILE: cert },
      ["CA", "CERT", "KEY"].map((name) => `KAFKA_TLS_${name}_FILE`),
    ],
    ["a CA alone", { KAFKA_TLS_CA_FILE: cert }, ["KAFKA_TLS_CA_FILE"]],
    ["a password", sasl("plain"), ["KAFKA_SASL_MECHANISM"]],
  ])("%s without TLS", (_, env, variables) => {
    expect(refusedByAll(env)).toEqual(variables);
    expect(refusedByAll({ ...env, KAFKA_TLS: "false" })).toEqual(variables);
    expect(refusedByAll({ ...env, KAFKA_ALLOW_PLAINTEXT: "false" })).toEqual(variables);
    expect(refusedByAll({ ...env, KAFKA_TLS: "true" })).toEqual([]);
    expect(refusedByAll({ ...env, KAFKA_ALLOW_PLAINTEXT: "true" })).toEqual([]);
    for (const problem of problemsOf(env)) {
      expect(problem).toContain("KAFKA_TLS=true");
      expect(problem).toContain("KAFKA_ALLOW_PLAINTEXT=true");
      expect(problem).not.toContain("sasl-text");
    }
  });

  test.each(["scram-sha-256", "scram-sha-512"])("%s never shows the password", (mechanism) => {
    expect(refusedByAll(sasl(mechanism))).toEqual([]);
  });
});

test("a public URL that contains the webhook's token", () => {
  const at = (path: string, over: Environment = {}) =>
    problemsOf({
      WEBHOOK_PUBLIC_URL: `https://bridge.example${path}`,
      WEBHOOK_SECRET: "one, a/b c",
      ...over,
    }).map((problem) => problem.split(" ", 1)[0]);
  for (const path of ["/hooks/one", "/hooks/one/", "/hooks/%6fne", "/hooks/a%2Fb%20c", "/hooks/a/b%20c"])
    expect(at(path), path).toEqual(["WEBHOOK_PUBLIC_URL"]);
  for (const path of ["/hooks", "/hooks/someone", "/one/hooks", "/hooks/%zz"])
    expect(at(path), path).toEqual([]);
  expect(at("/hooks/one", { WEBHOOK_AUTH: "header", WEBHOOK_SIGNATURE_HEADER: "x" })).toEqual([]);
  for (const path of ["/hooks?token=one", "/hooks#one"])
    expect(at(path), path).toEqual(["WEBHOOK_PUBLIC_URL"]);
  expect(refusedByAll({ WEBHOOK_PUBLIC_URL: "https://user:one@bridge.example/" })).toEqual([
    "WEBHOOK_PUBLIC_URL",
  ]);
});

describe("certificates and keys", () => {
  const otherKey = fileWith(
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString(),
  );
  const lockedKey = fileWith(
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "s3cr3t" })
      .toString(),
  );
  const truncated = fileWith(`${TEST_CERT}\n${TEST_CERT.slice(0, 300)}`);
  const broken = fileWith(`${TEST_CERT}\n${TEST_CERT.replace("MIIB", "MIIX")}`);
  const bundle = fileWith(`# two of them\n${TEST_CERT}\n# and one more\n${TEST_CERT}\n`);
  const tls = { KAFKA_TLS: "true" };

  test.each(["KAFKA_TLS_CA_FILE", "SCHEMA_REGISTRY_CA_FILE", "PARTNER_TLS_CA_FILE"])("%s", (variable) => {
    const problem = (file: string) => problemsOf({ ...tls, [variable]: file });
    expect(problem(bundle)).toEqual([]);
    for (const file of [fileWith(""), fileWith("PEM"), key, truncated, broken])
      expect(problem(file)).toEqual([
        `${variable} names a file that holds no certificates in PEM, or broken ones: ${file}`,
      ]);
    expect(problem(folder)).toEqual([expect.stringMatching(new RegExp(`^${variable} .*EISDIR`))]);
  });

  test.each(["KAFKA", "PARTNER"])("%s: a pair", (owner) => {
    const problems = (certFile: string, keyFile: string) =>
      problemsOf({ ...tls, [`${owner}_TLS_CERT_FILE`]: certFile, [`${owner}_TLS_KEY_FILE`]: keyFile });
    expect(problems(cert, key)).toEqual([]);
    expect(problems(bundle, key)).toEqual([]);
    expect(problems(cert, otherKey)).toEqual([
      `${owner}_TLS_KEY_FILE does not fit the certificate in ${owner}_TLS_CERT_FILE`,
    ]);
    for (const file of [cert, fileWith("PEM"), lockedKey])
      expect(problems(cert, file)).toEqual([
        `${owner}_TLS_KEY_FILE names a file that holds no private key in PEM, or one with a passphrase: ${file}`,
      ]);
    expect(problems(key, cert).map((problem) => problem.split(" ", 1)[0])).toEqual([
      `${owner}_TLS_CERT_FILE`,
      `${owner}_TLS_KEY_FILE`,
    ]);
  });
});

describe("addresses", () => {
  test.each([
    ["PARTNER_PROXY_URL", "http://user:100%@proxy:3128", /begins no escape/],
    ["PARTNER_PROXY_URL", "http://%zz@proxy:3128", /begins no escape/],
    ["PARTNER_PROXY_URL", "http://user:%ff@proxy:3128", /begins no escape/],
    ["PARTNER_PROXY_URL", "http://proxy:0", /is not one address such as/],
    ["PARTNER_PROXY_URL", "http://proxy:65536", /is not one address such as/],
    ["PARTNER_BASE_URL", "https://part\nner.example", /is not one http or https address/],
    ["PARTNER_BASE_URL", " https://partner.example", /is not one http or https address/],
    ["PARTNER_BASE_URL", "https:partner.example", /is not one http or https address/],
    ["PARTNER_BASE_URL", "https:\\\\partner.example", /is not one http or https address/],
    ["PARTNER_BASE_URL", "https://partner.example:0", /port 0/],
    ["SCHEMA_REGISTRY_URL", "http://registry-1,http://registry-2", /is not one http or https address/],
    ["SCHEMA_REGISTRY_URL", "http://registry-1:8081/,http://registry-2", /is not one http or https address/],
    ["SCHEMA_REGISTRY_URL", "http://registry-1;http://registry-2", /is not one http or https address/],
    ["SCHEMA_REGISTRY_URL", "http://registry-1,registry-2:8081", /is not one http or https address/],
    ["PARTNER_BASE_URL", "https://a.example,https://b.example", /is not one http or https address/],
    ["PARTNER_PROXY_URL", "http://proxy-1,http://proxy-2:3128", /is not one address such as/],
    ["KAFKA_OAUTH_TOKEN_ENDPOINT", "https://a.example/t?x=1,https://b.example", /is not one http or https/],
    ["WEBHOOK_PUBLIC_URL", "https://a.example,https://b.example/x", /is not one http or https address/],
    ["CONSOLE_ORIGIN", "https://a.example,https://b.example", /is not one http or https address/],
    ["SCHEMA_REGISTRY_URL", "http://registry:8081/a path", /is not one http or https address/],
  ])("%s=%j", (variable, value, message) => {
    const [problem, ...others] = problemsOf({ [variable]: value });
    expect(problem).toMatch(new RegExp(`^${variable} `));
    expect(problem).toMatch(message);
    expect(problem).not.toContain("100%");
    expect(others).toEqual([]);
  });
  test.each(["http://us%65r:p%25w@proxy:3128", "https://proxy", "http://[::1]:3128"])(
    "%s is a proxy",
    (url) => {
      expect(problemsOf({ PARTNER_PROXY_URL: url })).toEqual([]);
    },
  );
});

describe("address ranges", () => {
  test.each(["WEBHOOK_ALLOWED_CIDRS", "WEBHOOK_TRUSTED_PROXY_CIDRS"])("%s with a zone", (variable) => {
    for (const range of ["fe80::1%eth0/64", "fe80::1%eth0", "fe80::%1/10"])
      expect(problemsOf({ [variable]: `10.0.0.0/8,${range}` })).toEqual([
        `${variable} holds "${range}", which is no range such as 10.0.0.0/8`,
      ]);
  });

  test.each([
    "0.0.0.0/0",
    "10.1.2.3/0",
    "::/0",
    "0.0.0.0/1,128.0.0.0/1",
    "128.0.0.0/1, 10.0.0.0/8, 0.0.0.0/1",
    "0.0.0.0/1,128.0.0.0/2,192.0.0.0/3",
    "::ffff:0:0/96",
    "::ffff:0.0.0.0/97,::ffff:128.0.0.0/97",
    "::/1,8000::/1",
    "2000::/3",
    "2000::/4,10.0.0.0/8,3000::/4",
  ])("nobody is told apart from a trusted proxy by %s", (ranges) => {
    expect(problemsOf({ WEBHOOK_TRUSTED_PROXY_CIDRS: ranges })).toEqual([
      expect.stringMatching(/^WEBHOOK_TRUSTED_PROXY_CIDRS .*every address/),
    ]);
    expect(problemsOf({ WEBHOOK_ALLOWED_CIDRS: ranges }), "anybody may be allowed").toEqual([]);
  });

  test.each([
    "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7",
    "0.0.0.0/1",
    "8000::/1,::1",
    "::ffff:10.0.0.0/104",
  ])("%s are proxies", (ranges) => {
    expect(problemsOf({ WEBHOOK_TRUSTED_PROXY_CIDRS: ranges })).toEqual([]);
  });
});

describe("secrets that nobody meant so", () => {
  const SETTINGS: Record<string, Record<string, string>> = {
    WEBHOOK_SECRET: { WEBHOOK_AUTH: "hmac", WEBHOOK_SIGNATURE_HEADER: "x-signature" },
    KAFKA_SASL_PASSWORD: {
      KAFKA_TLS: "true",
      KAFKA_SASL_MECHANISM: "scram-sha-512",
      KAFKA_SASL_USERNAME: "user",
    },
    KAFKA_OAUTH_CLIENT_SECRET: {
      KAFKA_TLS: "true",
      KAFKA_SASL_MECHANISM: "oauthbearer",
      KAFKA_OAUTH_TOKEN_ENDPOINT: "https://tokens.example",
      KAFKA_OAUTH_CLIENT_ID: "client",
    },
    SCHEMA_REGISTRY_PASSWORD: { SCHEMA_REGISTRY_USERNAME: "user" },
    SCHEMA_REGISTRY_TOKEN: { SCHEMA_REGISTRY_URL: "https://registry.example" },
    SCHEMA_REGISTRY_HEADERS: {},
    PARTNER_ACCESS_TOKEN: {},
    PARTNER_X_TOKEN: {},
    PARTNER_PROXY_URL: {},
  };
  const good = (variable: string): string =>
    ({ PARTNER_PROXY_URL: "http://user:secret@proxy:3128", SCHEMA_REGISTRY_HEADERS: "x-key=secret" })[
      variable
    ] ?? "secret";
  const odd: [string, (text: string) => string | Buffer][] = [
    ["UTF-16", (text) => Buffer.from(text, "utf16le")],
    ["UTF-16 with a byte order mark", (text) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["a byte order mark", (text) => `\ufeff${text}`],
    ["a NUL", (text) => text.replace("ecre", "ec\u0000re")],
    ["a line break", (text) => text.replace("ecre", "ec\nre")],
    ["ISO 8859-1", (text) => Buffer.from(text.replace("ecre", "ecr\u00e9"), "latin1")],
  ];
  const names = Object.keys(SETTINGS);
  test.each(names.flatMap((variable) => odd.map(([what, make]) => ({ variable, what, make }))))(
    "$variable with $what, from a file and from the variable",
    ({ variable, make }) => {
      const over = SETTINGS[variable];
      const text = good(variable);
      expect(problemsOf({ ...over, [variable]: text })).toEqual([]);
      const file = join(folder, "odd-secret");
      writeFileSync(file, make(text));
      const expected = [expect.stringMatching(new RegExp(`^${variable} (?!.*ecr)`))];
      expect(problemsOf({ ...over, [variable]: undefined, [`${variable}_FILE`]: file })).toEqual(expected);
      expect(problemsOf({ ...over, [variable]: make(text).toString() })).toEqual(expected);
    },
  );

  test.each(["KAFKA_GROUP_ID", "KAFKA_SASL_USERNAME", "WEBHOOK_SIGNATURE_PREFIX"])(
    "%s from an env file with the line ends of Windows",
    (variable) => {
      const env = {
        KAFKA_TLS: "true",
        KAFKA_SASL_MECHANISM: "plain",
        KAFKA_SASL_USERNAME: "u",
        KAFKA_SASL_PASSWORD: "p",
      };
      expect(problemsOf({ ...env, [variable]: "text\r" })).toEqual([
        expect.stringMatching(new RegExp(`^${variable} holds .*a line break`)),
      ]);
    },
  );

  test("a token file with a byte order mark", () => {
    const file = join(folder, "odd-token");
    const env = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "oauthbearer", KAFKA_OAUTH_TOKEN_FILE: file };
    writeFileSync(file, "\ufefftoken");
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(/^KAFKA_OAUTH_TOKEN_FILE names a file that holds no token/),
    ]);
  });
});

describe("the quotes of an env file", () => {
  test.each([
    ["KAFKA_BROKERS", '"kafka-1:9092"', "host:port"],
    ["SCHEMA_REGISTRY_URL", "'http://registry:8081'", "address"],
    ["KAFKA_TLS", '"true"', "true nor false"],
    ["FLOWS", '"webhooks,commands"', "none of webhooks"],
    ["WEBHOOK_PORT", '"8080"', "whole number"],
    ["COMMANDS_DEADLINE", '"2m"', "duration"],
    ["TOPIC_COMMANDS", "'fx.commands'", "topic name"],
    ["LOG_LEVEL", '"info"', "none of"],
    ["PARTNER_TLS_CA_FILE", '"/ca.pem"', "cannot be read"],
    ["PARTNER_X_TOKEN", '"token\n"', "no header"],
  ])("%s=%s is refused, and they are named", (variable, value, reason) => {
    expect(problemsOf({ [variable]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${variable} .*${reason}.*; it stands in quotes`)),
    ]);
  });

  test("the name of a secret's file", () => {
    expect(problemsOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: '"/run/secret"' })).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET cannot be read .*; it stands in quotes/),
    ]);
  });

  test.each([
    ["PARTNER_NAME", '"acme"'],
    ["PARTNER_ACCESS_TOKEN", "'token'"],
    ["WEBHOOK_SECRET", '"secret"'],
    ["KAFKA_GROUP_ID", '"cambio"'],
    ["WEBHOOK_SIGNATURE_PREFIX", '""'],
    ["PARTNER_CURRENCIES", '"JPY"'],
  ])("%s=%s is taken as it is, with a warning", (variable, value) => {
    expect(warningsOf({ [variable]: value })).toEqual([
      `${variable} stands in quotes, which are taken for a part of it: leave them out`,
    ]);
  });

  test("a secret in a file, too", () => {
    const file = join(folder, "quoted");
    writeFileSync(file, '"secret"\n');
    expect(warningsOf({ WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_FILE: file })).toEqual([
      expect.stringMatching(/^WEBHOOK_SECRET stands in quotes/),
    ]);
  });

  test.each(['a"b', '"', "\"a'", ""])("%j has none", (name) => {
    expect(warningsOf({ KAFKA_CLIENT_ID: name })).toEqual([]);
  });
});
