import { expect, test } from "vitest";
import { runCommand } from "../cli/run-command.ts";
import { answer, serve } from "../partner/hostile-server.ts";
import { examine, httpServer, nowhere } from "./faults.ts";

test("settings: a line for each problem, and everything else is still checked", async () => {
  const { code, line, of } = await examine({
    PARTNER_ACESS_TOKEN: "x",
    WEBHOOK_SECRET: "",
    WEBHOOK_SECRET_FILE: "/nowhere/secret",
    KAFKA_SASL_MECANISM: "plain",
  });
  expect(code).toBe(1);
  expect(line("settings", "PARTNER_ACESS_TOKEN")).toMatch(/^fail .*did you mean PARTNER_ACCESS_TOKEN\?/);
  expect(line("settings", "WEBHOOK_SECRET")).toMatch(/^fail comes from WEBHOOK_SECRET_FILE.*ENOENT/);
  expect(line("settings", "KAFKA_SASL_MECANISM")).toMatch(/^warn .*did you mean KAFKA_SASL_MECHANISM/);
  expect(line("kafka")).toMatch(/^fail .*ECONNREFUSED/);
  expect(of("partner")).toHaveLength(1);
});

test("without any settings it says what is missing, and checks what can be checked", async () => {
  const { code, out } = await runCommand({}, ["doctor"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^fail +settings +KAFKA_BROKERS +is not set/m);
  expect(out).toMatch(/^warn +kafka +kafka +was not checked: KAFKA_BROKERS cannot be used/m);
  expect(out).toMatch(/^ok +webhook +|^warn +webhook +/m);
});

test.each([
  [
    "Kafka's password",
    { KAFKA_SASL_MECHANISM: "scram-sha-256", KAFKA_SASL_USERNAME: "b" },
    "kafka",
    "KAFKA_SASL_PASSWORD",
  ],
  ["Kafka's CA", { KAFKA_TLS_CA_FILE: "/nowhere/ca.pem" }, "kafka", "KAFKA_TLS_CA_FILE"],
  ["the registry's address", { SCHEMA_REGISTRY_URL: "registry:8081" }, "schemas", "SCHEMA_REGISTRY_URL"],
])(
  "a wrong setting (%s) keeps only its own subject from being checked",
  async (_, over, subject, setting) => {
    const { line } = await examine(over);
    expect(line("settings", setting)).toMatch(/^fail /);
    for (const group of ["kafka", "schemas", "partner"])
      expect(line(group)).toMatch(
        group === subject ? `warn was not checked: ${setting} cannot be used` : "ECONNREFUSED",
      );
  },
);

test.each([
  ["200 OK", /^fail .*answered 200, and not as a registry does.*SCHEMA_REGISTRY_URL/],
  ["401 Unauthorized", /^fail .*answered 401.*SCHEMA_REGISTRY_USERNAME/],
])("a registry that answers %s", async (status, said) => {
  const { url } = await httpServer(() => answer(status, "<html>"));
  expect((await examine({ SCHEMA_REGISTRY_URL: url })).line("schemas")).toMatch(said);
});

test("ends at once when it is aborted", async () => {
  const stop = new AbortController();
  const silent = await serve({ onConnect: () => stop.abort(new Error("received SIGINT")) });
  const env = { ...nowhere, KAFKA_BROKERS: `127.0.0.1:${silent.port}` };
  const { code, err } = await runCommand(env, ["doctor"], { stopped: stop.signal });
  expect({ code, err }).toEqual({ code: 1, err: "Interrupted: not everything was checked." });
});
