import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";

const run = async (...args: string[]) => {
  const out: string[] = [];
  const err: string[] = [];
  const stopped = new AbortController().signal;
  const code = await runProgram(args, {
    env: {},
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    stopped,
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
};

const packageJson = new URL("../../../package.json", import.meta.url);

test.each(["--version", "-V"])("%s prints the version alone", async (flag) => {
  const { version } = JSON.parse(readFileSync(packageJson, "utf8")) as { version: string };
  expect(await run(flag)).toEqual({ code: 0, out: version, err: "" });
});

test("every command is described in sentences", async () => {
  const { out } = await run("--help");
  const described = [...out.matchAll(/^ {2}(?!help)([a-z]+)(?: \S+)* {2,}(\S.*)$/gm)].map(
    ([, name, about]) => [name, about],
  );
  expect(described.length).toBeGreaterThanOrEqual(6);
  for (const [name, about] of described) expect(about, name).toMatch(/^[A-Z]/);
});

test("an unknown option is wrong usage", async () => {
  const { code, err } = await run("--versoin");
  expect(code).toBe(2);
  expect(err).toContain("--versoin");
});
