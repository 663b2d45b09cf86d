import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../run.mjs";
import { isProjectInstalled } from "./installed.mjs";

export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Installs the packages when they are not those of package-lock.json.
 * @param {import("../terminal/steps.mjs").Steps} steps
 */
export async function install(steps) {
  if (await isProjectInstalled(projectFolder)) return;
  const ci = (/** @type {string[]} */ ...more) =>
    run("npm", ["ci", "--include=dev", "--loglevel=error", ...more], { cwd: projectFolder });
  await steps.step(
    "installing packages (npm ci)",
    // npm's cached metadata may be too old for the wanted versions: then ask the registry.
    () => ci("--prefer-offline").catch(() => ci()),
    () => "packages installed",
  );
}

/**
 * Compiles src/ into dist/, incrementally and without checking types, which takes most of the time: `npm test` checks them in a step of
 * its own, and `npm run build` does both.
 * @param {import("../terminal/steps.mjs").Steps} steps
 */
export const build = (steps) =>
  steps.step(
    "building",
    () => tool("typescript/bin/tsc", ["-p", "tsconfig.build.json", "--noCheck"]),
    () => "built into dist/",
  );

/**
 * Runs a command-line tool from node_modules.
 * @param {string} script path of its program below node_modules
 * @param {string[]} args
 */
export const tool = (script, args) =>
  run(process.execPath, [join(projectFolder, "node_modules", script), ...args], { cwd: projectFolder });
