import { CommanderError, type Command } from "commander";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandboxCommand } from "../../../src/cli/sandbox.ts";
import { logChoices, defaultLogRules } from "../../../src/sandbox/api/log/log-rules.ts";
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
    expect(lines[0]).toMatch(/^sandbox listening on http:\/\/127\.0\.0\.1:\d+ \(time scale 1, seed \w+\)$/);
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
  const args = "--time-scale 900 --seed abc --story refund --answers snake --repetition again".split(" ");
  await run(
    [...args, "--webhook-url", "http://127.0.0.1:9/a", "--webhook-url", "http://127.0.0.1:9/b"],
    {},
    async (url, lines) => {
      expect(lines).toHaveLength(2);
      expect(lines[1]).toMatch(/^quote /);
      const state = await clientOf(url).control<{ subscriptions: unknown[] }>("GET", "state");
      expect(state.subscriptions).toHaveLength(2);
      expect(state).toMatchObject({
        settings: { timeScale: 900, seed: "abc", story: "refund", answers: "snake", repetition: "again" },
      });
    },
  );
});

test("the flags of the log reach it, and the log has a flag for each of its rules", async () => {
  const args = "--log-end exclusive --log-created-at offset --log-late 15m --log-limit 7 --log-entries 9";
  await run(args.split(" "), {}, async (url) => {
    expect(await clientOf(url).control("GET", "log")).toEqual({
      ...defaultLogRules,
      end: "exclusive",
      createdAt: "offset",
      lateMs: 900_000,
      limit: 7,
    });
  });
  const all = Object.entries(logChoices).flatMap(([name, { names }]) => [
    `--log-${name === "createdAt" ? "created-at" : name}`,
    names.at(-1)!,
  ]);
  await run(all, {}, async (url) => {
    const rules = await clientOf(url).control<Record<string, unknown>>("GET", "log");
    for (const [name, { names }] of Object.entries(logChoices)) expect(rules[name]).toBe(names.at(-1));
  });
});

test.each([
  [["--log-end", "open"]],
  [["--log-late", "15"]],
  [["--time-scale", "0"]],
  [["--port", "70000"]],
  [["--story", "unheard"]],
  [["--walk", "moon"]],
  [["--validity", "15"]],
  [["--webhook-url", "nowhere"]],
  [["--start-at", "yesterday"]],
  [["--history", "0"]],
  [["--sign", "hmac-hex"]],
  [["--sign", "header", "--sign-secret", "s", "--sign-header", "not a header"]],
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
