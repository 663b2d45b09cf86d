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

const end = (how: string): string =>
  `process.stderr.write("about to end"); setTimeout(async () => { ${how} }, 50)`;

test("no line is lost at an orderly end, although a pipe holds less and nobody reads it yet", async () => {
  const lines = await linesOf(
    `for (let i = 0; i < 3_000; i++) log.info({ i, text: "x".repeat(100) }, "line"); ${end("await log.flush(); process.exit(0);")}`,
  );
  expect(lines).toHaveLength(3_000);
});

test.each(["process.exit(1);", 'throw new Error("nobody catches it");'])(
  "the last lines before %s are there",
  async (ending) => {
    const lines = await linesOf(`log.info("one"); ${end(`log.error("the last one"); ${ending}`)}`);
    expect(lines.map(({ msg }) => msg)).toEqual(["one", "the last one"]);
  },
);
