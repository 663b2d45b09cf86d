import { expect, test } from "vitest";
import { runCommand } from "./run-command.ts";

const env = { KAFKA_BROKERS: "127.0.0.1:1", SCHEMA_REGISTRY_URL: "http://127.0.0.1:2" };
const ACCEPT = ["send", "accept-quote", "--command-id", "c-1", "--quote-id", "q", "--counterparty-id", "x"];

test.each([
  ["registry", [], "SCHEMA_REGISTRY_URL \\(http://127\\.0\\.0\\.1:2\\)"],
  ["Kafka", ["--wait"], "Kafka does not answer\\. KAFKA_BROKERS \\(127\\.0\\.0\\.1:1\\)"],
])("without a %s one sentence names the setting, and what to see to", async (_, more, setting) => {
  const { code, out, err } = await runCommand(env, [...ACCEPT, ...more]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  const advice = "see that it runs, and that the setting names it";
  expect(err).toMatch(
    new RegExp(`^Command c-1 was not sent: ${setting}: [^\\n]*ECONNREFUSED[^\\n]*; ${advice}\\.$`),
  );
});
