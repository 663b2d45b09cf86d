import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test as oneByOne } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { openUnreadPipe } from "../../support/unread-pipe.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Each runs programs of its own, and mostly waits for their ends. */
const test = oneByOne.concurrent;
const folder = mkdtempSync(join(tmpdir(), "cambio-bridge-log-"));
afterAll(() => rm(folder, { recursive: true }));
const children: ChildProcess[] = [];
afterAll(() => void children.map((child) => child.kill("SIGKILL")));

type Line = { msg: string; i?: number; text?: string; bytes?: number };

const sourceOf = (program: string): string =>
  `import { createLog } from "./src/ops/log.ts";
   const log = createLog("info", {
     atExit: (run) => process.on("exit", run),
     unblock: () => process.stdout,
   });
   ${program}`;

const parsed = (text: string): Line[] =>
  text === ""
    ? []
    : text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Line);

/**
 * The lines of a program with this log, when the reader begins to read only as the program is about to end.
 */
const linesOf = async (program: string): Promise<Line[]> => {
  const source = sourceOf(program);
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], { cwd: root });
  const written: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => {
    if (chunk.includes("about to end")) child.stdout.on("data", (data: Buffer) => written.push(data));
  });
  await once(child, "close");
  return parsed(Buffer.concat(written).toString());
};

/**
 * The same through a pipe of the shell, which holds 64 KiB: `spawn` gives a child a socket, which behaves
 * differently.
 */
const textThroughPipe = async (program: string, reader: string): Promise<string> => {
  const pipeline = `"$0" --input-type=module -e "$1" | (${reader})`;
  const child = spawn("sh", ["-c", pipeline, process.execPath, sourceOf(program)], { cwd: root });
  const read: Buffer[] = [];
  child.stdout.on("data", (data: Buffer) => read.push(data));
  await once(child, "close");
  return Buffer.concat(read).toString();
};
const linesThroughPipe = async (program: string, reader: string): Promise<Line[]> =>
  parsed(await textThroughPipe(program, reader));

/** A file by which a program tells its reader how far it is. */
const flag = (name: string) => {
  const file = join(folder, name);
  return {
    file,
    set: `(await import("node:fs")).writeFileSync(${JSON.stringify(file)}, "");`,
    untilSet: `until [ -e '${file}' ]; do sleep 0.05; done`,
  };
};

const end = (how: string): string =>
  `process.stderr.write("about to end"); setTimeout(async () => { ${how} }, 50)`;

test("no line is lost at an orderly end, although the pipe is full and nobody reads it yet", async () => {
  const lines = await linesOf(
    `for (let i = 0; i < 3_000; i++) log.info({ i, text: "x".repeat(100) }, "line"); ${end("await log.flush(); process.exit(0);")}`,
  );
  expect(lines).toHaveLength(3_000);
});

test("lines are complete and in order, whatever their length and characters", async () => {
  const lines = await linesThroughPipe(
    `const textOf = (i) => i % 101 === 1 ? "y".repeat(40_000) : i % 53 === 1 ? "é".repeat(11_000) : i % 2 ? "ação €".repeat(50) : "\\ud83d";
     for (let i = 0; i < 2_000; i++) log.info({ i, text: textOf(i) }, "line");
     await log.flush(); process.exit(0);`,
    "cat",
  );
  expect(lines.map(({ i }) => i)).toEqual(Array.from({ length: 2_000 }, (_, i) => i));
  expect(lines[3]?.text).toBe("ação €".repeat(50));
  expect(lines[54]?.text).toBe("é".repeat(11_000));
  expect(lines[102]?.text).toBe("y".repeat(40_000));
});

test("what cannot be seen, or controls a terminal, is escaped in a line, which stays the same JSON", async () => {
  const text = "\u0080\u009b31m\u009f \u001b[0m \u007f \u200b \u202e \u2028 \ufeff \u{e0041} \n ação € 👍";
  const line = await textThroughPipe(
    `log.info({ text: ${JSON.stringify(text)}, ["\u009bname"]: 1 }, "line"); await log.flush(); process.exit(0);`,
    "cat",
  );
  expect(line).not.toMatch(/[^\P{C}\n]|\p{Zl}/u);
  expect(line).toContain("\\u009b31m");
  expect(line).toContain("ação € 👍");
  expect(parsed(line)).toMatchObject([{ text, ["\u009bname"]: 1 }]);
});

test("a reader that stalls and then goes does not keep the process from ending", async () => {
  const lines = await linesThroughPipe(
    `for (let i = 0; i < 1_000; i++) log.info({ text: "x".repeat(1_000) }, "line"); await log.flush(); process.exit(0);`,
    "sleep 4",
  );
  expect(lines).toEqual([]);
}, 15_000);

test("unread output is bounded: lines beyond it are dropped, and the log reports that once it is read again", async () => {
  const allLogged = flag("all-logged");
  const lines = await linesThroughPipe(
    `for (let i = 0; i < 30_000; i++) log.info({ text: "x".repeat(1_000) }, "line");
     ${allLogged.set} await log.flush(); process.exit(0);`,
    `${allLogged.untilSet}; cat`,
  );
  const lost = lines.filter(({ msg }) => msg === "log.lost");
  expect(lost).toHaveLength(1);
  const kept = lines.filter(({ msg }) => msg === "line").length;
  expect(kept).toBeGreaterThan(10_000);
  expect(kept).toBeLessThan(20_000);
  expect(lost[0]?.bytes).toBeGreaterThan((30_000 - kept) * 1_000);
});

const fill = 'for (let i = 0; i < 1_000; i++) log.info({ i, text: "x".repeat(1_000) }, "line");';

test("no line is lost at a crash, although the pipe is full and its reader comes late", async () => {
  const crashing = flag("crashing");
  const lines = await linesThroughPipe(
    `${fill} ${end(`${crashing.set} throw new Error("nobody catches it");`)}`,
    `${crashing.untilSet}; sleep 0.2; cat`,
  );
  expect(lines.map(({ i }) => i)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
});

oneByOne.each([
  ["pipe", 'throw new Error("nobody catches it");', 1],
  ["pipe", 'void Promise.reject(new Error("nobody catches it"));', 1],
  ["socket", "await log.flush(); process.exit(0);", 0],
  ["socket", 'throw new Error("nobody catches it");', 1],
])("with a %s whose reader stays but never reads, the process ends after %s", async (kind, ending, code) => {
  const { writeEnd } = openUnreadPipe();
  const source = sourceOf(`${fill} setTimeout(async () => { ${ending} }, 50)`);
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    cwd: root,
    stdio: ["ignore", kind === "socket" ? "pipe" : writeEnd, "ignore"],
    timeout: 12_000,
    killSignal: "SIGKILL",
  });
  expect(await once(child, "exit")).toEqual([code, null]);
});

const runningInShell = (command: string, program: string) => {
  const child = spawn("sh", ["-c", command, process.execPath, sourceOf(program)], {
    cwd: root,
    stdio: "ignore",
    timeout: 20_000,
    killSignal: "SIGKILL",
  });
  children.push(child);
  return child;
};
const NODE = `exec "$0" --input-type=module -e "$1"`;

oneByOne.runIf(process.platform === "linux").concurrent.each([
  ["await log.flush(); process.exit(0);", 0],
  ["process.exit(3);", 3],
  ['throw new Error("nobody catches it");', 1],
])("on a full disk the process goes on, and ends after %s", async (ending, code) => {
  const program = `log.info("one"); ${fill} setTimeout(async () => { log.info("last"); ${ending} }, 700);`;
  const start = Date.now();
  expect(await once(runningInShell(`${NODE} > /dev/full`, program), "exit")).toEqual([code, null]);
  expect(Date.now() - start, "it did not end before").toBeGreaterThan(700);
});

test("a file on a full disk gets what waits once there is room, and how many bytes it did not get", async () => {
  const file = join(folder, "log");
  const logged = flag("logged");
  const logging = `for (let i = 0; i < 30_000; i++) log.info({ i, text: "x".repeat(1_000) }, "line");
     setTimeout(async () => { ${logged.set} }, 500); setInterval(() => {}, 1_000);`;
  // No file may grow beyond that: it is full at once, and has room again when it is cut.
  const full = `ulimit -f 40000; head -c 100000000 /dev/zero >> '${file}'`;
  const child = runningInShell(`${full}; ${NODE} >> '${file}'`, logging);
  await eventually(() => existsSync(logged.file), "all lines to be logged");
  await truncate(file);
  const text = await eventually(async () => {
    const now = await readFile(file, "utf8");
    return now.includes("log.lost") && now;
  }, "the line that says what was lost");
  expect(child.exitCode).toBeNull();
  const lines = parsed(text);
  const kept = lines.flatMap(({ i }) => i ?? []);
  expect(kept.length).toBeGreaterThan(10_000);
  expect(kept).toEqual([...kept.keys()]);
  expect(lines.at(-1)?.bytes).toBeGreaterThan((30_000 - kept.length) * 1_000);
}, 20_000);
