import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { SANDBOX } from "../../dev/main.mjs";
import { aQuote, clientOf } from "./client.ts";

const spawned = (args: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [SANDBOX, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit") as Promise<[number | null]>;
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const code = async (): Promise<number | null> => (await exited)[0];
  return { child, code, firstLine: () => once(createInterface(child.stdout), "line") as Promise<[string]> };
};

/** The program with a port of its own, and its address. */
const listening = async (env?: Record<string, string>) => {
  const program = spawned(["--port", "0"], env);
  const [line] = await program.firstLine();
  return { ...program, url: /http:\/\/\S+/.exec(line)?.[0] ?? "" };
};

test("it listens until it is stopped, and asks for the tokens of the environment", async () => {
  const tokens = { authorization: "Bearer access-token", "x-token": "other-token" };
  const { child, code, url } = await listening({
    PARTNER_ACCESS_TOKEN: "access-token",
    PARTNER_X_TOKEN: "other-token",
  });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const create = (over: Record<string, string>) =>
    clientOf(url).send("POST", "/corporate/v1/quote", aQuote, { ...tokens, ...over });
  expect((await create({})).status).toBe(201);
  expect((await create({ "x-token": "another" })).status).toBe(401);
  expect((await create({ authorization: "Bearer another" })).status).toBe(401);
  child.kill("SIGTERM");
  expect(await code()).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

test("a port that is taken is one sentence, and exit code 1; arguments that cannot be used, 2", async () => {
  const { url } = await listening();
  const taken = spawned(["--port", new URL(url).port]);
  expect(await text(taken.child.stderr)).toMatch(/^Cannot listen on .*--port\.\n$/);
  expect(await taken.code()).toBe(1);
  const wrong = spawned(["--walk", "moon"]);
  expect(await text(wrong.child.stderr)).toMatch(/^--walk is one of main, .*"moon"\.\n$/);
  expect(await wrong.code()).toBe(2);
  const help = spawned(["--help"]);
  expect(await text(help.child.stdout)).toMatch(/--time-scale <factor> .*default: 1/);
  expect(await help.code()).toBe(0);
});
