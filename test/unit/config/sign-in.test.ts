import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Environment } from "../../../src/config/load.ts";
import { problemsOf, refusedByAll } from "./environment.ts";

const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-sign-in-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fileWith = (text: string): string => {
  const file = join(folder, `file-${++files}`);
  writeFileSync(file, text);
  return file;
};

describe("authentication to Kafka and the registry", () => {
  const tokens = fileWith("a-token\n");
  const client = {
    KAFKA_OAUTH_TOKEN_ENDPOINT: "https://idp.example/token",
    KAFKA_OAUTH_CLIENT_ID: "bridge",
    KAFKA_OAUTH_CLIENT_SECRET: "client-text",
  };
  const oauth = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "oauthbearer" };
  const aws = { KAFKA_TLS: "true", KAFKA_SASL_MECHANISM: "aws-msk-iam", KAFKA_AWS_REGION: "sa-east-1" };
  const more = { KAFKA_OAUTH_SCOPE: "a b", KAFKA_OAUTH_AUDIENCE: "kafka" };
  const registry = { SCHEMA_REGISTRY_URL: "https://registry.example" };

  test.each<[string, Environment]>([
    ["a client", { ...oauth, ...client, ...more, KAFKA_OAUTH_EXTENSIONS: "logicalCluster=lkc-1, pool=p=1" }],
    [
      "a token endpoint on this machine",
      { ...oauth, ...client, KAFKA_OAUTH_TOKEN_ENDPOINT: "http://127.0.0.1:1/t?p=1" },
    ],
    ["a file", { ...oauth, KAFKA_OAUTH_TOKEN_FILE: tokens }],
    ["MSK", aws],
    ["the registry by the same source", { ...oauth, ...client, ...registry, SCHEMA_REGISTRY_OAUTH: "true" }],
    ["the registry alone", { ...client, ...registry, SCHEMA_REGISTRY_OAUTH: "true" }],
    ["MSK, and the registry by OAuth", { ...aws, ...client, ...registry, SCHEMA_REGISTRY_OAUTH: "true" }],
    [
      "a token of the registry",
      { ...registry, SCHEMA_REGISTRY_TOKEN: "t", SCHEMA_REGISTRY_HEADERS: "x-a=1, x-b=2=" },
    ],
    [
      "a token of a registry on this machine",
      { SCHEMA_REGISTRY_URL: "http://localhost:1", SCHEMA_REGISTRY_TOKEN: "t" },
    ],
  ])("%s is fine", (_, env) => {
    expect(problemsOf(env)).toEqual([]);
  });

  test.each<[string, Environment, string[]]>([
    ["nothing to get tokens from", oauth, Object.keys(client)],
    ["both sources", { ...oauth, ...client, KAFKA_OAUTH_TOKEN_FILE: tokens }, ["KAFKA_OAUTH_TOKEN_ENDPOINT"]],
    ["a client without a mechanism", client, ["KAFKA_SASL_MECHANISM"]],
    ["a file without a mechanism", { KAFKA_OAUTH_TOKEN_FILE: tokens }, ["KAFKA_SASL_MECHANISM"]],
    ["MSK without a region", { ...aws, KAFKA_AWS_REGION: "" }, ["KAFKA_AWS_REGION"]],
    ["a token in clear", { ...oauth, ...client, KAFKA_TLS: "false" }, ["KAFKA_SASL_MECHANISM"]],
    ["MSK in clear", { ...aws, KAFKA_TLS: "false" }, ["KAFKA_SASL_MECHANISM"]],
    [
      "a client secret in clear",
      { ...oauth, ...client, KAFKA_OAUTH_TOKEN_ENDPOINT: "http://idp/token" },
      ["KAFKA_OAUTH_TOKEN_ENDPOINT"],
    ],
    ["a registry's token in clear", { SCHEMA_REGISTRY_TOKEN: "t" }, ["SCHEMA_REGISTRY_TOKEN"]],
    ["OAuth in clear", { ...client, SCHEMA_REGISTRY_OAUTH: "true" }, ["SCHEMA_REGISTRY_OAUTH"]],
    [
      "two ways to the registry",
      {
        ...registry,
        SCHEMA_REGISTRY_TOKEN: "t",
        SCHEMA_REGISTRY_USERNAME: "u",
        SCHEMA_REGISTRY_PASSWORD: "p",
      },
      ["SCHEMA_REGISTRY_TOKEN"],
    ],
    [
      "a third",
      { ...registry, ...client, SCHEMA_REGISTRY_TOKEN: "t", SCHEMA_REGISTRY_OAUTH: "true" },
      ["SCHEMA_REGISTRY_OAUTH"],
    ],
    [
      "a header of its own",
      { ...registry, SCHEMA_REGISTRY_TOKEN: "t", SCHEMA_REGISTRY_HEADERS: "Authorization=x" },
      ["SCHEMA_REGISTRY_HEADERS"],
    ],
    ["a header that is taken", { SCHEMA_REGISTRY_HEADERS: "Content-Type=x" }, ["SCHEMA_REGISTRY_HEADERS"]],
    ["a header without a value", { SCHEMA_REGISTRY_HEADERS: "client-text" }, ["SCHEMA_REGISTRY_HEADERS"]],
    ["a header twice", { SCHEMA_REGISTRY_HEADERS: "a=1,A=2" }, ["SCHEMA_REGISTRY_HEADERS"]],
    [
      "an extension that is the token",
      { ...oauth, ...client, KAFKA_OAUTH_EXTENSIONS: "auth=x" },
      ["KAFKA_OAUTH_EXTENSIONS"],
    ],
    [
      "an extension with digits",
      { ...oauth, ...client, KAFKA_OAUTH_EXTENSIONS: "a1=x" },
      ["KAFKA_OAUTH_EXTENSIONS"],
    ],
    ["no file", { ...oauth, KAFKA_OAUTH_TOKEN_FILE: join(folder, "none") }, ["KAFKA_OAUTH_TOKEN_FILE"]],
    ["an empty file", { ...oauth, KAFKA_OAUTH_TOKEN_FILE: fileWith("\n") }, ["KAFKA_OAUTH_TOKEN_FILE"]],
    ["an unknown mechanism alone", { ...client, KAFKA_SASL_MECHANISM: "oauth" }, ["KAFKA_SASL_MECHANISM"]],
  ])("%s is refused", (_, env, variables) => {
    expect(refusedByAll(env)).toEqual(variables);
    expect(problemsOf(env).join()).not.toContain("client-text");
    for (const problem of problemsOf(env)) expect(problem).not.toContain("undefined");
  });

  test("is allowed in clear with KAFKA_ALLOW_PLAINTEXT", () => {
    const env = {
      ...oauth,
      ...client,
      KAFKA_TLS: "false",
      KAFKA_OAUTH_TOKEN_ENDPOINT: "http://idp/token",
      SCHEMA_REGISTRY_OAUTH: "true",
    };
    expect(refusedByAll(env)).toEqual([
      "KAFKA_SASL_MECHANISM",
      "KAFKA_OAUTH_TOKEN_ENDPOINT",
      "SCHEMA_REGISTRY_OAUTH",
    ]);
    expect(refusedByAll({ ...env, KAFKA_ALLOW_PLAINTEXT: "true" })).toEqual([]);
  });
});
