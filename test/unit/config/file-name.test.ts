import { expect, test } from "vitest";
import { runCommand } from "../cli/run-command.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { complete, problemsOf } from "./environment.ts";

const JWT = `eyJhbGciOiJSUzI1NiJ9.${"c".repeat(80)}.signature-of-the-token`;
const OPAQUE = "s3cr3t-opaque-token";
const USERS = `ana:operator:$2b$10$${"h".repeat(53)}`;

const oauth = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "oauthbearer" };
const plain = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "plain", KAFKA_SASL_USERNAME: "bridge" };
const users = { CONSOLE_AUTH: "basic" };

test.each([
  ["KAFKA_TLS_KEY_FILE", TEST_KEY, { KAFKA_TLS: "true" }],
  ["KAFKA_TLS_KEY_FILE", "k".repeat(256), { KAFKA_TLS: "true" }],
  ["KAFKA_TLS_CERT_FILE", TEST_CERT, { KAFKA_TLS: "true" }],
  ["PARTNER_TLS_CA_FILE", TEST_CERT, {}],
  ["SCHEMA_REGISTRY_CA_FILE", TEST_CERT, {}],
  ["KAFKA_OAUTH_TOKEN_FILE", JWT, oauth],
  ["CONSOLE_USERS_FILE", USERS, users],
])(
  "%s that holds the text itself: that is said, and the text is not shown",
  async (variable, text, more) => {
    const env = { ...more, [variable]: text };
    const said = problemsOf(env, "console").filter((problem) => problem.startsWith(variable));
    expect(said).toEqual([
      `${variable} holds the key or the text itself, not the name of a file that holds it`,
    ]);
    for (const command of [["config"], ["config", "--json"], ["doctor"], ["console"]]) {
      const { out, err } = await runCommand({ ...complete, KAFKA_BROKERS: "127.0.0.1:1", ...env }, command);
      expect(out + err, command.join(" ")).not.toContain(text.slice(-30).trim());
    }
  },
  30_000,
);

test.each([
  ["KAFKA_OAUTH_TOKEN_FILE", oauth],
  ["KAFKA_SASL_PASSWORD_FILE", plain],
  ["CONSOLE_USERS_FILE", users],
])("%s that holds a short text: it is not shown either", async (variable, more) => {
  const env = { ...more, [variable]: OPAQUE };
  const problems = problemsOf(env, "console").join("\n");
  expect(problems).toContain("(ENOENT)");
  expect(problems).not.toContain(OPAQUE);
  if (variable === "CONSOLE_USERS_FILE") return;
  const { out, err } = await runCommand({ ...complete, ...env }, ["config"]);
  expect(out + err).not.toContain(OPAQUE);
});

test("a secret's file: what the setting holds is named, a path is shown", async () => {
  expect(problemsOf({ ...plain, KAFKA_SASL_PASSWORD_FILE: JWT })).toEqual([
    "KAFKA_SASL_PASSWORD cannot be read from the file that KAFKA_SASL_PASSWORD_FILE names (it holds the text itself, not the name of a file)",
  ]);
  const env = { ...complete, ...plain, KAFKA_SASL_PASSWORD_FILE: "/nowhere/password" };
  const { out } = await runCommand(env, ["config"]);
  expect(out).toMatch(/KAFKA_SASL_PASSWORD .*file \/nowhere\/password/);
});
