import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Environment } from "../../../src/config/load.ts";
import { complete } from "../config/environment.ts";
import { runCommand } from "./run-command.ts";

const runIn = async (env: Environment, ...args: string[]) => {
  const { code, out, err } = await runCommand(env, args);
  return { code, out, err };
};

const run = (...args: string[]) => runIn({}, ...args);

const packageJson = new URL("../../../package.json", import.meta.url);

test("--version prints the version alone, and a misspelt option is wrong usage", async () => {
  const { version } = JSON.parse(readFileSync(packageJson, "utf8")) as { version: string };
  expect(await run("--version")).toEqual({ code: 0, out: version, err: "" });
  const { code, err } = await run("--versoin");
  expect(code).toBe(2);
  expect(err).toContain("--versoin");
});

test("a variable that is not known is warned of before the problems, one of which it may explain", async () => {
  const { KAFKA_BROKERS: brokers, ...others } = complete;
  const { code, err } = await runCommand({ ...others, KAFKA_BROKER: brokers }, ["serve"]);
  expect(code).toBe(2);
  const lines = err.split("\n");
  expect(lines[0]).toMatch(/^Warning: KAFKA_BROKER is not a setting .*: did you mean KAFKA_BROKERS\?$/);
  expect(lines.slice(1).join("\n")).toMatch(/has a problem:\n {2}KAFKA_BROKERS is not set/);
});

test("a note that would not fit into the journal beside an answer is wrong usage", async () => {
  const note = "x".repeat(1_001);
  const { code, err } = await run("resolve", "c-1", "--as", "succeeded", "--by", "Ana", "--note", note);
  expect(code).toBe(2);
  expect(err).toContain("at most 1000 characters");
});

test("a reader of the output who goes away ends a command without a word", async () => {
  const stop = new AbortController();
  const out = (): void => {
    stop.abort(new Error("nobody reads the output"));
    throw new Error("EPIPE");
  };
  const { code, err } = await runCommand(complete, ["config"], { out, stopped: stop.signal });
  expect({ code, err }).toEqual({ code: 1, err: "" });
});

test("nothing that a terminal would obey is said as it is, neither in words nor in JSON", async () => {
  const hostile = "\u001b[2Ja\u009b\u202eb";
  const { err } = await run(`${hostile}\n\tc`);
  expect(err).toContain("\\u001b[2Ja\\u009b\\u202eb\n\tc");
  const env = { ...complete, KAFKA_CLIENT_ID: "a\u202eb" };
  const { out } = await runIn(env, "config", "--json");
  expect(err + out).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u);
  const { settings } = JSON.parse(out) as { settings: { name: string; value: string | null }[] };
  expect(settings.find(({ name }) => name === "KAFKA_CLIENT_ID")?.value).toBe("a\u202eb");
});
