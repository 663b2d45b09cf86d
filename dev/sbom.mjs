// Prints the bill of materials of what the package installs, in CycloneDX, by npm itself. `npm sbom --omit dev` would also leave
// out packages that development tools can use (@opentelemetry/api, for vitest), so npm gets a project without those tools.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectFolder } from "./bootstrap/bootstrap.mjs";
import { program } from "./program.mjs";
import { run } from "./run.mjs";

const TIMEOUT_MS = 60_000;

/** @param {string} name */
const read = async (name) => JSON.parse(await readFile(join(projectFolder, name), "utf8"));

await program(async ({ defer }) => {
  const parent = await mkdtemp(join(tmpdir(), "cambio-bridge-sbom-"));
  defer(() => rm(parent, { recursive: true, force: true }));
  const own = await read("package.json");
  const lock = await read("package-lock.json");
  delete own.devDependencies;
  delete lock.packages[""].devDependencies;
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages))
    if (dev || devOptional) delete lock.packages[path];
  // npm names the component after the folder.
  const folder = join(parent, own.name);
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify(own));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
  const args = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"];
  console.log(await run("npm", [...args, "--loglevel=silent"], { cwd: folder, timeoutMs: TIMEOUT_MS }));
  return 0;
});
