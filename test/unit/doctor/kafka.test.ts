import { expect, test } from "vitest";
import { answer, serve } from "../partner/hostile-server.ts";
import { TEST_CERT, TEST_KEY } from "../partner/tls-material.ts";
import { examine, httpServer } from "./faults.ts";

test("each broker of KAFKA_BROKERS has a line with what is wrong with it", async () => {
  const http = await httpServer(() => answer("400 Bad Request"));
  const frozen = await serve({});
  const secured = await serve({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  const closing = await serve({ onConnect: (socket) => socket.once("data", () => socket.destroy()) });
  const brokers = [http, frozen, secured, closing].map(({ port }) => `127.0.0.1:${port}`);
  const KAFKA_BROKERS = [...brokers, "127.0.0.1:1", "nobody.invalid:9092"].join(",");
  const { code, line } = await examine({ KAFKA_BROKERS });
  expect(code).toBe(1);
  const lineOf = ({ port }: { port: number }): string => line("kafka", `127.0.0.1:${port}`);
  expect(line("kafka", "nobody.invalid")).toMatch(
    /^fail the name nobody.invalid cannot be resolved.*KAFKA_BROKERS/,
  );
  expect(line("kafka", "broker 127.0.0.1:1")).toMatch(/^fail .*ECONNREFUSED.*KAFKA_BROKERS/);
  expect(lineOf(http)).toMatch(/^fail .*does not answer as Kafka does.*names a Kafka port/);
  expect(lineOf(frozen)).toMatch(/^fail .*does not answer as Kafka does \(no answer within/);
  expect(lineOf(secured)).toMatch(/^fail .*speaks TLS there, and we do not.*set KAFKA_TLS=true/);
  expect(lineOf(closing)).toMatch(/^fail it does not let us in.*client certificate/);
  for (const group of ["topics", "rights"])
    expect(line(group)).toMatch(/^warn was not checked: no broker can be used/);
});

const JSON_TYPE = "content-type: application/json\r\n";
const oauth = (endpoint: string) => ({
  KAFKA_SASL_MECHANISM: "oauthbearer",
  KAFKA_OAUTH_TOKEN_ENDPOINT: `${endpoint}/token`,
  KAFKA_OAUTH_CLIENT_ID: "bridge",
  KAFKA_OAUTH_CLIENT_SECRET: "webhook-secret-of-tests",
  KAFKA_ALLOW_PLAINTEXT: "true",
});

test("a token endpoint that gives none: one line names it, and no broker is blamed", async () => {
  const refusing = await httpServer(() =>
    answer("401 Unauthorized", '{"error":"invalid_client"}', JSON_TYPE),
  );
  const { of, line } = await examine(oauth(refusing.url));
  expect(of("kafka")).toHaveLength(1);
  expect(line("kafka", "token")).toMatch(/^fail .*token endpoint.*invalid_client.*: see .*KAFKA_OAUTH_/);
  const body = JSON.stringify({ access_token: "opaque", token_type: "bearer", expires_in: 300 });
  const giving = await httpServer(() => answer("200 OK", body, JSON_TYPE));
  const given = await examine(oauth(giving.url));
  expect(given.line("kafka", "token")).toMatch(/^ok /);
  expect(given.line("kafka", "broker")).toMatch(/ECONNREFUSED/);
});

test("a sign-in whose package is missing ends no other check", async () => {
  const { line } = await examine({
    KAFKA_SASL_MECHANISM: "aws-msk-iam",
    KAFKA_AWS_REGION: "eu-west-1",
    KAFKA_TLS: "true",
  });
  expect(line("kafka")).toMatch(/^fail .*needs the package aws-msk-iam-sasl-signer-js.*run `npm install/);
  expect(line("partner")).toMatch(/ECONNREFUSED/);
  expect(line("schemas")).toMatch(/ECONNREFUSED/);
});
