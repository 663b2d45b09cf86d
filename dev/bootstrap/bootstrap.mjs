import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../run.mjs";
import { isProjectInstalled } from "./installed.mjs";

export const projectFolder = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Installs the packages when they are not those of package-lock.json.
 * @param {import("../terminal/steps.mjs").Steps} steps
 * @param {{ development?: boolean }} [options] `development: false` for what runs the program, where nothing is installed yet
 */
export async function install(steps, { development = true } = {}) {
  if (await isProjectInstalled(projectFolder, { development })) return;
  const wanted =
    development || existsSync(join(projectFolder, "node_modules")) ? "--include=dev" : "--omit=dev";
  const ci = (/** @type {string[]} */ ...more) =>
    run("npm", ["ci", wanted, "--loglevel=error", ...more], { cwd: projectFolder });
  await steps.step(
    "installing packages (npm ci)",
    // npm's cached metadata may be too old for the wanted versions: then ask the registry.
    () => ci("--prefer-offline").catch(() => ci()),
    () => "packages installed",
  );
}
