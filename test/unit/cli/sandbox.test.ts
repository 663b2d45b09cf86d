import { CommanderError, type Command } from "commander";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandboxCommand } from "../../../src/cli/sandbox.ts";
import { aQuote, clientOf } from "../sandbox/client.ts";
import { runCommand } from "./run-command.ts";

const quiet = (command: Command): Command =>
  command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });

/** Runs the command, and `meanwhile` with the sandbox's address while it listens. */
const run = async (
  args: string[],
  env: Record<string, string>,
  meanwhile: (url: string, lines: string[]) => Promise<void>,
) => {
  const lines: string[] = [];
  const stop = new AbortController();
  let listens = (): void => undefined;
  const listening = new Promise<void>((resolve) => (listens = resolve));
  const out = (line: string): void => {
    lines.push(line);
    listens();
  };
  const command = quiet(sandboxCommand({ env, out, stopped: stop.signal }));
  const ended = command.parseAsync(["--port", "0", ...args], { from: "user" });
  const used = listening
    .then(() => meanwhile(/http:\/\/\S+/.exec(lines[0]!)![0], lines))
    .finally(() => stop.abort());
  await Promise.race([used, ended]);
  await ended;
};

test("it listens until it is stopped, and checks the tokens of the environment", async () => {
  let address = "";
  await run([], { PARTNER_ACCESS_TOKEN: "access", PARTNER_X_TOKEN: "other" }, async (url, lines) => {
    address = url;
    expect(lines[0]).toMatch(/^sandbox listening on http:\/\/127\.0\.0\.1:\d+ \(time scale 1\)$/);
    expect((await clientOf(url).create()).status).toBe(401);
  });
  await expect(fetch(address)).rejects.toThrow();
});

test("it reads the tokens from files, as the bridge does", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-sandbox-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const fileWith = (name: string): string => {
    writeFileSync(join(folder, name), `${name}-token\n`);
    return join(folder, name);
  };
  const env = { PARTNER_ACCESS_TOKEN_FILE: fileWith("access"), PARTNER_X_TOKEN_FILE: fileWith("other") };
  const tokens = { authorization: "Bearer access-token", "x-token": "other-token" };
  await run([], env, async (url) => {
    const create = (over: Record<string, string>) =>
      clientOf(url).send("POST", "/corporate/v1/quote", aQuote, { ...tokens, ...over });
    expect((await create({})).status).toBe(201);
    expect((await create({ "x-token": "another" })).status).toBe(401);
    expect((await create({ authorization: "Bearer another" })).status).toBe(401);
  });
});

test("a token whose file cannot be read is wrong configuration", async () => {
  const env = { PARTNER_ACCESS_TOKEN: "access", PARTNER_X_TOKEN_FILE: "/no/such/file" };
  const { code, out, err } = await runCommand(env, ["sandbox", "--port", "0"]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(
    /PARTNER_X_TOKEN cannot be read from the file that PARTNER_X_TOKEN_FILE names \(ENOENT\)$/,
  );
});

test("flags reach the sandbox", async () => {
  const args =
    "--time-scale 900 --answers nested --repetition again --accept-unknown-quotes --walk still".split(" ");
  const hooks = ["--webhook-url", "http://127.0.0.1:9/a", "--webhook-url", "http://127.0.0.1:9/b"];
  await run([...args, ...hooks], {}, async (url, lines) => {
    expect(lines).toHaveLength(1);
    const client = clientOf(url);
    for (let nth = 0; nth < 2; nth++)
      expect((await client.accept("q-1")).json).toMatchObject({ data: { quote: { id: "q-1" } } });
    const state = await client.control<{ subscriptions: unknown[]; transactions: object[] }>("GET", "state");
    expect(state.subscriptions).toHaveLength(2);
    expect(state).toMatchObject({ totals: { executions: 2, walking: 0 } });
  });
});

test.each([
  [["--time-scale", "0"]],
  [["--port", "70000"]],
  [["--walk", "moon"]],
  [["--step", "15"]],
  [["--webhook-url", "nowhere"]],
])("wrong usage %j is refused before anything listens", async (args) => {
  await expect(run(args, {}, () => Promise.reject(new Error("it listens")))).rejects.toThrow(CommanderError);
});

test("a port that is taken is one sentence and exit code 1", async () => {
  await run([], {}, async (url) => {
    const again = run(["--port", new URL(url).port], {}, () => Promise.reject(new Error("it listens")));
    await expect(again).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining("--port") as string,
    });
  });
});
