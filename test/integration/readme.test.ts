import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { cacheFolder } from "../../dev/cluster/cache.mjs";
import { MAIN } from "../../dev/main.mjs";
import { run } from "../../dev/run.mjs";
import { sharedCluster } from "../support/cluster.ts";
import { blocks, root } from "../support/documents.ts";
import { eventually } from "../support/eventually.ts";
import { confluentKafka, pythonVersion } from "../support/python.ts";
import type { Replica } from "../support/replica.ts";
import { toolSettings } from "../support/settings.ts";
import { openWorld, type World } from "../support/world.ts";

const cluster = sharedCluster();
let world: World;
let bridge: Replica;
let folder: string;

beforeAll(async () => {
  // Below the project, so that modules are found.
  await mkdir(join(root, ".cache"), { recursive: true });
  folder = await mkdtemp(join(root, ".cache", "readme-"));
  await mkdir(join(folder, "bin"));
  const script = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
  await writeFile(join(folder, "bin", "cambio-bridge"), script, { mode: 0o755 });
  world = await openWorld({ sandboxArgs: ["--accept-unknown-quotes", "--walk", "still"] });
  bridge = await world.startReady();
  const body = { transactionId: "tx-readme", status: "AWAITING_PAYMENT", createdAt: "2026-01-31T12:00:00Z" };
  const answer = await fetch(bridge.webhookUrl, { method: "POST", body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

/** The README's one block in a language, with this test's addresses and topics, and with names that no other block's command has. */
const snippet = (language: string): string => {
  const [code = "", ...more] = blocks("README.md", language);
  expect(code).not.toBe("");
  expect(more).toEqual([]);
  return [
    ["localhost:9092", cluster.kafkaBrokers],
    ["http://localhost:8081", cluster.schemaRegistryUrl],
    ["fx.commands", world.topics.commands],
    ["fx.command-results", world.topics.results],
    ["fx.transaction-status", world.topics.events],
    ["order-71-accept", `order-71-${language}`],
    ["orders-", `${world.groupId}-orders-`],
  ].reduce((text, [name = "", own = ""]) => {
    expect(text).toContain(name);
    return text.replaceAll(name, own);
  }, code);
};

/** Starts a program that runs on, and waits until its output fits. */
const untilItPrints = async (
  command: string,
  args: readonly string[],
  fits: readonly RegExp[],
  env = process.env,
): Promise<void> => {
  const child = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  await eventually(
    () => {
      for (const pattern of fits) expect(output).toMatch(pattern);
    },
    `${command} to print what it read`,
    40_000,
  );
};

/** Runs a line of a document in a shell where `cambio-bridge` is the program. */
const shell = (line: string, env: NodeJS.ProcessEnv): Promise<{ code: number; out: string; err: string }> => {
  const settings = { ...toolSettings(cluster, world), PARTNER_BASE_URL: world.sandboxUrl };
  const PATH = `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`;
  return new Promise((resolve) => {
    execFile("bash", ["--norc", "-c", line], { env: { ...settings, ...env, PATH } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
};

/** Runs lines one after the other, the last one but a `watch` that goes on. Gives what each printed. */
const runLines = async (lines: readonly string[]): Promise<{ code: number; out: string }[]> => {
  const printed: { code: number; out: string }[] = [];
  let QUOTE_ID = "";
  for (const line of lines) {
    if (/^(export )?QUOTE_ID=…/.test(line)) {
      QUOTE_ID = (JSON.parse(printed.at(-1)?.out ?? "") as { quoteId: string }).quoteId;
      continue;
    }
    const { code, out, err } = await shell(line, { QUOTE_ID });
    expect([0, 4], `${line}: ${err}`).toContain(code);
    printed.push({ code, out });
  }
  return printed;
};

test("the lines for the shell create a quote, accept it, and show events", async () => {
  const [alias = "", ...lines] = (blocks("README.md", "sh")[1] ?? "").trimEnd().split("\n");
  expect(alias).toBe("alias cambio-bridge=.cache/cambio-bridge");
  const watch = lines.pop() ?? "";
  const [created, accepted] = await runLines(lines);
  expect(JSON.parse(created?.out ?? "")).toMatchObject({ operation: "CREATE_QUOTE", outcome: "SUCCEEDED" });
  expect(JSON.parse(accepted?.out ?? "")).toMatchObject({ operation: "ACCEPT_QUOTE", outcome: "SUCCEEDED" });
  const [program, ...args] = watch.split(" ");
  expect(program).toBe("cambio-bridge");
  const watching = await world.start(args);
  await watching.untilLine((line) => line.includes("tx-readme"), "the event to be shown");
  const results = await world.start(["watch", "results", "--from-beginning"]);
  const fits = (line: string): boolean => / {2}SUCCEEDED {2}\S+ {2}ACCEPT_QUOTE/.test(line);
  await results.untilLine(fits, "the result to be shown, its outcome first");
});

test("the rehearsal of a doubt leads to one, and ends it", async () => {
  const lines = (blocks("docs/commands.md", "sh").at(-1) ?? "")
    .trimEnd()
    .replaceAll("http://127.0.0.1:8090", world.sandboxUrl)
    .split("\n");
  expect(lines.pop()).toMatch(/^cambio-bridge watch results/);
  const [, , accepted, doubts, resolved] = await runLines(lines);
  expect(accepted?.code).toBe(4);
  expect(JSON.parse(accepted?.out ?? "")).toMatchObject({ outcome: "IN_DOUBT" });
  expect(JSON.parse(doubts?.out ?? "")).toMatchObject({ commandId: "rehearsal-1", attempts: 1 });
  expect(JSON.parse(resolved?.out ?? "")).toMatchObject({ commandId: "rehearsal-1", outcome: "SUCCEEDED" });
});

test("the TypeScript sends a command, reads its result, and reads events", async () => {
  const file = join(folder, "snippet.ts");
  await writeFile(file, snippet("ts"));
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"];
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  await run(process.execPath, [tsc, ...options, "--ignoreConfig", "--types", "node", file], { cwd: root });
  const fits = [
    /commandId: 'order-71-ts',\s+operation: 'ACCEPT_QUOTE',\s+outcome: 'SUCCEEDED'/,
    /transactionId: 'tx-readme'/,
  ];
  await untilItPrints(process.execPath, [file], fits, { ...process.env, QUOTE_ID: "q-ts" });
}, 180_000);

const python = pythonVersion();
/** Its client may have to be downloaded first. */
const patient = { timeout: 180_000 };
const runPython = async (
  code: string,
  fits: readonly RegExp[],
  settings = {},
): Promise<"done" | "no client"> => {
  const file = join(folder, "snippet.py");
  await writeFile(file, code);
  await run("python3", ["-m", "py_compile", file]);
  const modules = await confluentKafka(python ?? "");
  if (modules === null) return "no client";
  await untilItPrints("python3", [file], fits, { ...process.env, ...settings, PYTHONPATH: modules });
  return "done";
};

test.skipIf(python === null)("the Python does the same", patient, async ({ skip }) => {
  const fits = [
    /'commandId': 'order-71-python', 'operation': 'ACCEPT_QUOTE', 'outcome': 'SUCCEEDED'/,
    /'transactionId': 'tx-readme'/,
  ];
  const done = await runPython(snippet("python"), fits, { QUOTE_ID: "q-python" });
  if (done !== "done") skip("confluent-kafka cannot be installed here");
});

test.skipIf(python === null)(
  "the Python of docs/commands.md sends a command in Avro",
  patient,
  async ({ skip }) => {
    const [code = "", ...more] = blocks("docs/commands.md", "python");
    expect(more).toEqual([]);
    const sending = `${code.replaceAll("fx.commands", world.topics.commands)}print("sent")\n`;
    const done = await runPython(sending, [/^sent$/m], toolSettings(cluster, world));
    if (done !== "done") return skip("confluent-kafka cannot be installed here");
    const watching = await world.start(["watch", "results", "--from-beginning"]);
    await watching.untilLine(
      (line) => / {2}SUCCEEDED {2}order-72-quote {2}CREATE_QUOTE/.test(line),
      "its result",
    );
  },
);

/** Where the local Kafka and registry have their classes; none where they run in Docker. */
const jars = async (): Promise<string[]> => {
  const folders = ["kafka-4.3.1", "apicurio-registry-3.0.9"].map((name) => join(cacheFolder(), name, "lib"));
  if (!folders.every(existsSync)) return [];
  const found = await Promise.all(
    folders.map(async (lib) => (await readdir(lib)).map((jar) => join(lib, jar))),
  );
  return found.flat().filter((jar) => /\/kafka-clients-|avro-1\./.test(jar));
};

test("the Java compiles", async ({ skip }) => {
  const classPath = await jars();
  const hasCompiler = await run("javac", ["-version"]).then(
    () => true,
    () => false,
  );
  if (!hasCompiler || classPath.length === 0) return skip("there is no javac, or no jar of Kafka");
  const [code = "", ...more] = blocks("README.md", "java");
  expect(more).toEqual([]);
  const file = join(folder, "Orders.java");
  await writeFile(file, code);
  await run("javac", ["-Werror", "-Xlint:all", "-classpath", classPath.join(":"), "-d", folder, file]);
});
