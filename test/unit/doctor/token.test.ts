import { expect, test } from "vitest";
import { serve } from "../partner/hostile-server.ts";
import { examine, fileWith, httpServer } from "./faults.ts";

const answer = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;

const withEndpoint = (port: number) => ({
  KAFKA_SASL_MECHANISM: "oauthbearer",
  KAFKA_OAUTH_TOKEN_ENDPOINT: `http://127.0.0.1:${port}/token`,
  KAFKA_OAUTH_CLIENT_ID: "bridge",
  KAFKA_OAUTH_CLIENT_SECRET: "webhook-secret-of-tests",
  KAFKA_ALLOW_PLAINTEXT: "true",
});
const jwt = (claims: object): string =>
  ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "x"].join(".");

test("a token endpoint that gives none: one line names it, and no broker is blamed", async () => {
  const { port } = await httpServer(() => answer("401 Unauthorized", '{"error":"invalid_client"}'));
  const { of, line } = await examine(withEndpoint(port));
  expect(of("kafka")).toHaveLength(1);
  expect(line("kafka", `token endpoint 127.0.0.1:${port}`)).toMatch(
    /^fail it gives no token \(.*invalid_client.*\): see .*KAFKA_OAUTH_CLIENT_SECRET/,
  );
  for (const group of ["rights", "topics"])
    expect(line(group)).toMatch(/^warn was not checked: there is no token for Kafka/);
});

test("a token endpoint that answers nothing", async () => {
  const { port } = await serve({});
  const { line } = await examine(withEndpoint(port));
  expect(line("kafka")).toMatch(/^fail it gives no token \(.*check that it runs/);
});

test("a token endpoint that gives tokens", async () => {
  const body = JSON.stringify({ access_token: "opaque", token_type: "bearer", expires_in: 300 });
  const { port } = await httpServer(() => answer("200 OK", body));
  const { line, of } = await examine(withEndpoint(port));
  expect(line("kafka", "token endpoint")).toMatch(/^ok gives tokens/);
  expect(of("kafka", "broker")).toHaveLength(1);
});

test("a token file whose token has expired", async () => {
  const KAFKA_OAUTH_TOKEN_FILE = fileWith(jwt({ exp: 1_700_000_000 }));
  const { line } = await examine({
    KAFKA_SASL_MECHANISM: "oauthbearer",
    KAFKA_ALLOW_PLAINTEXT: "true",
    KAFKA_OAUTH_TOKEN_FILE,
  });
  expect(line("kafka")).toMatch(/^fail it gives no token \(.*expired at 2023.*\): see what writes that file/);
});

test("a sign-in whose package is missing ends no other check", async () => {
  const { line } = await examine({
    KAFKA_SASL_MECHANISM: "aws-msk-iam",
    KAFKA_AWS_REGION: "eu-west-1",
    KAFKA_TLS: "true",
  });
  expect(line("kafka")).toMatch(/^fail .*needs the package aws-msk-iam-sasl-signer-js.*: run `npm install/);
  expect(line("partner")).toMatch(/ECONNREFUSED/);
  expect(line("schemas")).toMatch(/ECONNREFUSED/);
});

test.each(["", "registry:8081", "http://user:pw@127.0.0.1:1"])(
  "without a usable address of the registry (%j) everything else is checked",
  async (SCHEMA_REGISTRY_URL) => {
    const { line } = await examine({ SCHEMA_REGISTRY_URL });
    expect(line("settings", "SCHEMA_REGISTRY_URL")).toMatch(/^fail /);
    expect(line("kafka")).toMatch(/^fail .*ECONNREFUSED/);
    expect(line("schemas")).toMatch(/^warn was not checked: SCHEMA_REGISTRY_URL cannot be used/);
    expect(line("partner")).toMatch(/ECONNREFUSED/);
  },
);

test("wrong settings of Kafka do not keep the registry from being asked", async () => {
  const { line } = await examine({ KAFKA_TLS_CA_FILE: "/nowhere/ca.pem" });
  expect(line("kafka")).toMatch(/^warn was not checked: KAFKA_TLS_CA_FILE cannot be used/);
  expect(line("schemas")).toMatch(/^fail .*ECONNREFUSED/);
});
