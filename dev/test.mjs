// The whole check of a clone: installs, checks types and style, then runs the tests against a real Kafka, on the Node.js of the image and
// some on the oldest supported one. With arguments (`npm test -- [--node 24] test/unit/x.test.ts`) only the tests they name, on one
// Node.js, without the checks of types and style.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { install, projectFolder } from "./bootstrap/bootstrap.mjs";
import { findNode, OLDEST_NODE, takeNodeOption } from "./bootstrap/node.mjs";
import { summarize } from "./bootstrap/summary.mjs";
import { startLocalCluster } from "./cluster/local.mjs";
import { program } from "./program.mjs";
import { run } from "./run.mjs";
import { createSteps } from "./terminal/steps.mjs";

const REPORT = join(projectFolder, ".cache", "test-report.json");
const steps = createSteps();

/** @param {import("./program.mjs").Scope} scope @returns {Promise<NodeJS.ProcessEnv>} where the tests find Kafka and registry */
async function startCluster({ defer }) {
  const cluster = await startLocalCluster(steps);
  defer(cluster.stop);
  return { TEST_KAFKA_BROKERS: cluster.bootstrapServers, TEST_SCHEMA_REGISTRY_URL: cluster.registryUrl };
}

/** In parallel: each uses one core. @param {Node} node */
const checkStyle = ({ path }) => {
  const tool = (/** @type {string} */ script, /** @type {string[]} */ ...args) =>
    run(path, [join(projectFolder, "node_modules", script), ...args], { cwd: projectFolder });
  return Promise.all([
    steps.step(
      "checking types",
      () => tool("typescript/bin/tsc", "-p", "tsconfig.json"),
      () => "types are right",
    ),
    steps.step(
      "linting",
      () => tool("eslint/bin/eslint.js", ".", "--max-warnings", "0"),
      () => "eslint has no complaint",
    ),
    steps.step(
      "checking the format",
      () => tool("prettier/bin/prettier.cjs", "--check", ".", "--log-level", "warn"),
      () => "formatted",
    ),
  ]);
};

const ofProjects = (/** @type {string[]} */ ...names) => names.flatMap((name) => ["--project", name]);
/** The fault tests kill and freeze for minutes and want the machine for themselves: `npm run test:faults` runs them. */
const EVERY_TIME = ofProjects("unit", "simulation", "integration", "e2e");
/** What runs once more on the oldest Node.js: what works on its sockets, streams and crypto, and the whole program. */
const ON_THE_OLDEST = [
  ...ofProjects("unit", "e2e"),
  ...[
    "kafka/kafkajs-fixes/",
    "kafka/produce/",
    "partner/connection/",
    "listener/",
    "webhooks-to-events/",
  ].map((room) => `test/unit/${room}`),
  "test/e2e/demo.test.ts",
];

/**
 * @typedef {{ path: string, version: string }} Node
 * @typedef {ReturnType<typeof summarize>} Outcome
 * @typedef {Outcome & { node: Node, what: string }} Tested
 */

/**
 * @param {Node} node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Outcome>}
 */
async function vitest(node, args, env) {
  await rm(REPORT, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const script = join(projectFolder, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(node.path, [script, "run", ...reporters, ...args], {
    cwd: projectFolder,
    env: { ...process.env, ...env },
    stdio: "inherit",
  });
  const endVitest = () => child.kill("SIGTERM");
  process.once("exit", endVitest);
  const [code] = await once(child, "exit");
  process.removeListener("exit", endVitest);
  const report = await readFile(REPORT, "utf8").catch(() => "{}");
  return summarize(JSON.parse(report), code ?? 1);
}

/**
 * @param {Node} node
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Tested>}
 */
async function test(node, args, env) {
  const what = args.filter((arg) => arg !== "--project").join(", ");
  steps.line(`\n  Node.js ${node.version}: ${what}`);
  return { node, what, ...(await vitest(node, args, env)) };
}

/**
 * @param {import("./program.mjs").Scope} scope
 * @param {string | undefined} which Node.js; without a choice some tests run on the oldest as well
 * @returns {Promise<Tested[]>}
 */
async function testEverything(scope, which) {
  const cluster = startCluster(scope);
  cluster.catch(() => {});
  // First, because the check cannot succeed without it, and the rest takes minutes.
  const first = await findNode(which, steps.say);
  const oldest = which === undefined ? await findNode(OLDEST_NODE, steps.say) : null;
  await install(steps);
  await checkStyle(first);
  const env = await cluster;
  const tested = [await test(first, EVERY_TIME, env)];
  if (oldest !== null) tested.push(await test(oldest, ON_THE_OLDEST, env));
  return tested;
}

/**
 * @param {string[]} args of vitest
 * @param {string | undefined} which Node.js
 * @returns {Promise<Tested[]>}
 */
async function testOnly(args, which) {
  const node = await findNode(which, steps.say);
  await install(steps);
  return [await test(node, args, {})];
}

await program(async (scope) => {
  const { which, rest } = takeNodeOption(process.argv.slice(2));
  await mkdir(join(projectFolder, ".cache"), { recursive: true });
  const tested = await (rest.length === 0 ? testEverything(scope, which) : testOnly(rest, which));
  steps.line("");
  // Repeated at the end, where a truncated log still has them.
  for (const { node, failures } of tested)
    for (const failure of failures) steps.line(`  failed on Node.js ${node.version}: ${failure}\n`);
  for (const { node, what, passed, failed } of tested)
    steps.line(`  Node.js ${node.version}: ${what}: ${passed} passed, ${failed} failed`);
  const sum = (/** @type {"passed" | "failed"} */ of) => tested.reduce((total, one) => total + one[of], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") === 0 ? 0 : 1;
});
