import { expect, test } from "vitest";
import type { Environment } from "../../../src/config/load.ts";
import { aQuote, clientOf } from "../sandbox/client.ts";
import { runCommand } from "./run-command.ts";

/** Runs the command, and `meanwhile` with the sandbox's address while it listens. */
const run = async (args: string[], env: Environment, meanwhile: (url: string) => Promise<void>) => {
  const stop = new AbortController();
  let used: Promise<void> = Promise.resolve();
  const out = (line: string): void => {
    const [url = ""] = /http:\/\/\S+/.exec(line) ?? [];
    used = meanwhile(url).finally(() => stop.abort());
  };
  const ended = await runCommand(env, ["sandbox", "--port", "0", ...args], { out, stopped: stop.signal });
  await used;
  return ended;
};

test("it listens until it is stopped, and asks for the tokens of the environment", async () => {
  let address = "";
  const env = { PARTNER_ACCESS_TOKEN: "access-token", PARTNER_X_TOKEN: "other-token" };
  const tokens = { authorization: "Bearer access-token", "x-token": "other-token" };
  const { code, err } = await run([], env, async (url) => {
    address = url;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const create = (over: Record<string, string>) =>
      clientOf(url).send("POST", "/corporate/v1/quote", aQuote, { ...tokens, ...over });
    expect((await create({})).status).toBe(201);
    expect((await create({ "x-token": "another" })).status).toBe(401);
    expect((await create({ authorization: "Bearer another" })).status).toBe(401);
  });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  await expect(fetch(address)).rejects.toThrow();
});

test.each([
  [["--time-scale", "0"], {}, /number above 0/],
  [["--port", "70000"], {}, /whole number/],
  [["--walk", "moon"], {}, /Allowed choices/],
  [["--step", "15"], {}, /duration/],
  [["--webhook-url", "nowhere"], {}, /address/],
  [[], { PARTNER_X_TOKEN_FILE: "/no/such/file" }, /PARTNER_X_TOKEN comes from PARTNER_X_TOKEN_FILE/],
])("%j with %j is refused with 2 before anything listens", async (args, env, problem) => {
  const { code, out, err } = await runCommand(env, ["sandbox", "--port", "0", ...args]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatch(problem);
});

test("a port that is taken is one sentence, and exit code 1", async () => {
  await run([], {}, async (url) => {
    const { code, err } = await runCommand({}, ["sandbox", "--port", new URL(url).port]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("--port") as string });
  });
});
