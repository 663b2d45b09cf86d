// The whole bridge at work on this machine: `npm run demo`. With `--once` it ends after the scenario, and fails when that fails.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { installToRun, projectFolder } from "./bootstrap/bootstrap.mjs";
import { findNode, takeNodeOption } from "./bootstrap/node.mjs";
import { startLocalCluster } from "./cluster/local.mjs";
import { freePort } from "./cluster/ports.mjs";
import { envFile, newOperator, programFile, settingsFor, usersLine } from "./demo/environment.mjs";
import { nextSteps } from "./demo/next-steps.mjs";
import { createSystem } from "./demo/system.mjs";
import { LOST, runScenario } from "./demo/scenario.mjs";
import { COMPILED, MAIN, NODE_FLAGS } from "./main.mjs";
import { program } from "./program.mjs";
import { run } from "./run.mjs";
import { Failure } from "./terminal/failure.mjs";
import { createSteps } from "./terminal/steps.mjs";

const CACHE = join(projectFolder, ".cache");
const LOGS = join(CACHE, "demo");
const ENV_FILE = join(CACHE, "demo.env");
const USERS_FILE = join(CACHE, "demo-users");
const PROGRAM_FILE = join(CACHE, "cambio-bridge");

/**
 * Rejects when a process ends that should run as long as the demo; never resolves.
 * @param {string} what
 * @param {import("./child.mjs").Child} child
 * @returns {Promise<never>}
 */
async function unexpectedEnd(what, child) {
  const exitCode = await child.exited();
  throw new Failure(
    `${what} ended unexpectedly (exit code ${exitCode}); the end of its log:\n${await child.logTail()}`,
  );
}

await program(async (scope) => {
  const { which, rest } = takeNodeOption(process.argv.slice(2));
  const once = rest.includes("--once");
  const startedAt = Date.now();
  const steps = createSteps();
  const { step, line, paint } = steps;
  line(
    `\n${paint("bold", "  cambio-bridge")}: a quote is created and accepted through Kafka, and the money moves\n`,
  );

  const startCluster = async () => {
    const cluster = await startLocalCluster(steps);
    scope.defer(cluster.stop);
    return cluster;
  };
  const prepare = async () => {
    await rm(LOGS, { recursive: true, force: true });
    await mkdir(LOGS, { recursive: true });
    const [node] = await Promise.all([findNode(which, steps.say), installToRun(steps)]);
    // Strips and compiles all once, while Kafka starts, and not in each process.
    await run(node.path, [...NODE_FLAGS, MAIN, "--version"], { env: { ...process.env, ...COMPILED } });
    return node.path;
  };
  const [cluster, node, sandbox, webhooks, management, console_] = await Promise.all([
    startCluster(),
    prepare(),
    freePort(8090),
    freePort(8080),
    freePort(9090),
    freePort(8091),
  ]);

  const ports = { sandbox, webhooks, management, console: console_ };
  const settings = settingsFor(cluster, ports, USERS_FILE);
  const operator = newOperator();
  const files = [
    { name: ENV_FILE, text: envFile(settings) },
    { name: USERS_FILE, text: await usersLine(operator) },
    { name: PROGRAM_FILE, text: programFile([node, `--env-file=${ENV_FILE}`, MAIN]), mode: 0o700 },
  ];
  for (const { name, text, mode = 0o600 } of files) {
    await writeFile(name, text, { mode });
    scope.defer(() => rm(name, { force: true }));
  }
  const system = createSystem({ node, settings, logFolder: LOGS, scope });
  const [partner, bridge] = await Promise.all([
    step(
      "starting the sandbox",
      system.startSandbox,
      () => `the partner, imitated, on ${settings.PARTNER_BASE_URL}`,
    ),
    step(
      "setting up topics and schemas, starting the bridge",
      system.startBridge,
      () => `topics and schemas set up, bridge ready, webhooks on port ${webhooks}`,
    ),
  ]);
  const pages = await step(
    "starting the console",
    system.startConsole,
    () => `the console on http://127.0.0.1:${console_}`,
  );
  await system.subscribe();
  line("");

  const running = Promise.race([
    unexpectedEnd("The bridge", bridge),
    unexpectedEnd("The sandbox", partner),
    unexpectedEnd("The console", pages),
  ]);
  running.catch(() => {});
  const { events, results, inDoubt, transactionId, tookMs } = await Promise.race([
    runScenario({ system, steps }),
    running,
  ]);
  const summary = `${results} results and ${events} events in ${(tookMs / 1000).toFixed(1)} s`;
  const whole = `${((Date.now() - startedAt) / 1000).toFixed(0)} s after the start`;
  line(`\n  ${paint("green", "✓")} The transaction is completed: ${summary}, ${whole}.`);
  line(`    The webhook of ${LOST} was lost, and its event came from the partner's log.`);
  line(`    The answer to an accept was lost as well: command ${inDoubt} is in doubt.`);
  line(`    An event of transaction ${transactionId} names its quote, so the partner executed it.`);
  if (once) {
    await system.endAsExecuted(inDoubt, transactionId);
    line(`    The doubt is resolved: its final result is SUCCEEDED, with that transaction.`);
    return 0;
  }

  const from = (/** @type {string} */ path) => relative(process.cwd(), path);
  line(
    `${nextSteps(settings, { operator, inDoubt, cli: from(PROGRAM_FILE), logFolder: from(LOGS), paint })}\n`,
  );
  await Promise.race([scope.stay(), running]);
  return 0;
});
