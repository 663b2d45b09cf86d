import { expect, test } from "vitest";
import { EXIT_OF } from "../../../src/cli/send.ts";
import { writeCommand } from "../../../src/operate/send.ts";
import type { Tools } from "../../../src/operate/tools.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { runCommand } from "./run-command.ts";

const env = { KAFKA_BROKERS: "127.0.0.1:1", SCHEMA_REGISTRY_URL: "http://127.0.0.1:2" };
const ACCEPT = ["send", "accept-quote", "--command-id", "c-1", "--quote-id", "q", "--counterparty-id", "x"];

test("without a registry one sentence names the setting", async () => {
  const { code, out, err } = await runCommand(env, ACCEPT);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^SCHEMA_REGISTRY_URL \(http:\/\/127\.0\.0\.1:2\): [^\n]*ECONNREFUSED[^\n]*\.$/);
});

test("the exit code says what the result says", () => {
  expect(EXIT_OF).toEqual({ SUCCEEDED: 0, REJECTED: 3, FAILED: 3, IN_DOUBT: 4 });
});

test.each(["it is not acknowledged", "somebody interrupts it"])(
  "a command that may have been written says how to find out: %s",
  async (why) => {
    const stop = new AbortController();
    const never = new Promise<never>(() => undefined);
    const isStopped = why.startsWith("somebody");
    const publisher = () => ({
      publish: () => (isStopped ? never : Promise.reject(new Error(why))),
      close: () => Promise.resolve(),
    });
    const config = { topics: { commands: "fx.commands" } };
    const tool = { config, clock: systemClock, publisher, stopped: stop.signal } as unknown as Tools;
    const writing = writeCommand(tool, { commandId: "c-1", key: "k", value: Buffer.of(1) });
    if (isStopped) stop.abort(new Error(why));
    await expect(writing).resolves.toContain(
      `Command c-1 may have been written, or not (${why}): send the same again with --command-id c-1`,
    );
  },
);

test.each([
  [
    ["accept-quote", "--quote-id", "q 1", "--counterparty-id", "x"],
    /request\.quoteId must not hold white space/,
  ],
  [
    ["accept-quote", "--quote-id", "q", "--counterparty-id", "x", "--amount", "1,5"],
    /request\.amount must be/,
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
