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
  await steps.step(
    "installing packages (npm ci)",
    () => run("npm", ["ci", "--include=dev", "--loglevel=error"], { cwd: projectFolder }),
    () => "packages installed",
  );
}

/**
 * Compiles src/ into dist/. Only what changed is compiled again.
 * @param {import("../terminal/steps.mjs").Steps} steps
 */
export const build = (steps) =>
  steps.step(
    "building",
    () => tool("typescript/bin/tsc", ["-p", "tsconfig.build.json"]),
    () => "built into dist/",
  );

/**
 * Runs a command-line tool from node_modules.
 * @param {string} script path of its program below node_modules
 * @param {string[]} args
 */
export const tool = (script, args) =>
  run(process.execPath, [join(projectFolder, "node_modules", script), ...args], { cwd: projectFolder });
