// The whole check of a clone: installs, builds, checks types and style, then runs the tests against a real Kafka.
// With arguments (`npm test -- test/unit/x.test.ts`) only the tests they name, without the checks of types and style.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build, install, projectFolder, tool } from "./bootstrap/bootstrap.mjs";
import { summarize } from "./bootstrap/summary.mjs";
import { startLocalCluster } from "./cluster/local.mjs";
import { program } from "./program.mjs";
import { createSteps } from "./terminal/steps.mjs";

const REPORT = join(projectFolder, ".cache", "test-report.json");
const steps = createSteps();

/** @param {import("./program.mjs").Scope} scope @returns {Promise<NodeJS.ProcessEnv>} where the tests find Kafka and registry */
async function startCluster({ defer }) {
  const cluster = await startLocalCluster(steps);
  defer(cluster.stop);
  return { TEST_KAFKA_BROKERS: cluster.bootstrapServers, TEST_SCHEMA_REGISTRY_URL: cluster.registryUrl };
}

async function checkStyle() {
  await steps.step(
    "checking types",
    () => tool("typescript/bin/tsc", ["-p", "tsconfig.json"]),
    () => "types are right",
  );
  await steps.step(
    "linting",
    () => tool("eslint/bin/eslint.js", [".", "--max-warnings", "0"]),
    () => "eslint has no complaint",
  );
  await steps.step(
    "checking the format",
    () => tool("prettier/bin/prettier.cjs", ["--check", ".", "--log-level", "warn"]),
    () => "formatted",
  );
}

/** The fault tests kill and freeze for minutes and want the machine for themselves: `npm run test:faults` runs them. */
const EVERY_TIME = ["unit", "simulation", "integration", "e2e"].flatMap((name) => ["--project", name]);

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} its exit code
 */
async function vitest(args, env) {
  await rm(REPORT, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const script = join(projectFolder, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(process.execPath, [script, "run", ...reporters, ...args], {
    cwd: projectFolder,
    env: { ...process.env, ...env },
    stdio: "inherit",
  });
  const endWithUs = () => child.kill("SIGTERM");
  process.once("exit", endWithUs);
  const [code] = await once(child, "exit");
  process.removeListener("exit", endWithUs);
  return code ?? 1;
}

await program(async (scope) => {
  const only = process.argv.slice(2);
  await mkdir(join(projectFolder, ".cache"), { recursive: true });
  const cluster = only.length === 0 ? startCluster(scope) : Promise.resolve({});
  cluster.catch(() => {});
  await install(steps);
  await build(steps);
  if (only.length === 0) await checkStyle();
  const exitCode = await vitest(only.length === 0 ? EVERY_TIME : only, await cluster);
  const report = await readFile(REPORT, "utf8").catch(() => "{}");
  const { passed, failed } = summarize(JSON.parse(report), exitCode);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? exitCode : exitCode || 1;
});
