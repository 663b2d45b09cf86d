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

test.each([
  [
    ["accept-quote", "--quote-id", "q 1", "--counterparty-id", "x"],
    /request\.quoteId must not hold white space/,
  ],
  [
    ["accept-quote", "--quote-id", "q", "--counterparty-id", "x", "--amount", "1,5"],
    /request\.amount must be/,
  ],
  [
    "create-quote --direction SIDEWAYS --purpose COMEX --amount 1 --base USD --quoted BRL".split(" "),
    /request\.direction must be one of/,
  ],
])("a command that breaks a rule of the bridge is not written: %j", async (args, message) => {
  const { code, out, err } = await runCommand(env, ["send", ...args]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(/^Nothing was sent: [^\n]*\.$/);
  expect(err).toMatch(message);
});

test("the settings extend the rules", async () => {
  const args =
    "send create-quote --direction INBOUND --purpose TOURISM --amount 1 --base GBP --quoted BRL".split(" ");
  expect((await runCommand(env, args)).code).toBe(2);
  const more = { PARTNER_PURPOSES: "TOURISM", PARTNER_CURRENCIES: "GBP" };
  expect((await runCommand({ ...env, ...more }, args)).err).toContain("SCHEMA_REGISTRY_URL");
});
