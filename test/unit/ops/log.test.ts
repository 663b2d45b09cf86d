import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Lines that a program wrote which logs this way, to somebody who begins to read when the program is about to end. */
const linesOf = async (program: string): Promise<{ msg: string }[]> => {
  const source = `import { createLog } from "./src/ops/log.ts"; const log = createLog("info"); ${program}`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", source], {
    cwd: root,
  });
  const written: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => {
    if (chunk.includes("about to end")) child.stdout.on("data", (data: Buffer) => written.push(data));
  });
  await once(child, "close");
  const text = Buffer.concat(written).toString();
  return text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { msg: string });
};

const MANY = 3_000;
const end = `process.stderr.write("about to end"); setTimeout(() => {`;

test.each([
  ["after a flush", `${end} log.flush(); process.exit(0); }, 50)`],
  ["without a flush", `${end} process.exit(1); }, 50)`],
  ["by an exception that nobody catches", `${end} throw new Error("broken"); }, 50)`],
])("no line is lost when the process ends %s", async (_, ending) => {
  // More than a pipe holds.
  const lines = await linesOf(
    `for (let i = 0; i < ${MANY}; i++) log.info({ i, text: "x".repeat(100) }, "line"); ${ending}`,
  );
  expect(lines).toHaveLength(MANY);
});

test("the last line before an exception is there", async () => {
  const lines = await linesOf(`${end} log.error("the last one"); throw new Error("broken"); }, 50)`);
  expect(lines.map(({ msg }) => msg)).toEqual(["the last one"]);
});
