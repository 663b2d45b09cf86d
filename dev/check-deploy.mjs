// Checks of deploy/ that need Go: promtool runs the alerts' cases, and kustomize builds the overlays, which are checked against the
// schemas of Kubernetes. Both programs are built once, from pinned versions, into the cache.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { install, projectFolder } from "./bootstrap/bootstrap.mjs";
import { cached, cacheFolder } from "./cluster/cache.mjs";
import { problemsOf } from "./deploy/manifests.mjs";
import { program } from "./program.mjs";
import { run } from "./run.mjs";
import { Failure } from "./terminal/failure.mjs";
import { createSteps } from "./terminal/steps.mjs";

const PROMETHEUS = "github.com/prometheus/prometheus@v0.314.0";
const KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5@v5.7.1";
/** promtool contains the clients of every cloud: busy machines with two cores take half an hour. */
const BUILD_MS = 45 * 60_000;
const RUN_MS = 60_000;

const steps = createSteps();
const folder = join(projectFolder, "deploy");
const alerts = join(folder, "alerts");
const overlays = join(folder, "kubernetes", "overlays");

async function findGo() {
  try {
    return (await run("go", ["env", "GOVERSION"], { timeoutMs: RUN_MS })).trim();
  } catch (error) {
    throw new Failure("Nothing was checked: this needs Go 1.25.8 or later on the PATH.", { cause: error });
  }
}

/** `go install` refuses a module with replace directives, so it is built in its own source, where its go.sum pins what it needs. */
const buildPromtool = () =>
  cached("promtool-0.314.0", async (into) => {
    const source = JSON.parse(
      await run("go", ["mod", "download", "-json", PROMETHEUS], { timeoutMs: BUILD_MS }),
    );
    const env = { ...process.env, GOWORK: "off" };
    await run("go", ["build", "-mod=readonly", "-o", join(into, "promtool"), "./cmd/promtool"], {
      cwd: source.Dir,
      env,
      timeoutMs: BUILD_MS,
    });
  });

const buildKustomize = () =>
  cached("kustomize-5.7.1", async (into) => {
    const env = { ...process.env, GOBIN: into };
    await run("go", ["install", KUSTOMIZE], { cwd: cacheFolder(), env, timeoutMs: BUILD_MS });
  });

/** @param {string} kustomize @param {string} overlay */
async function checkOverlay(kustomize, overlay) {
  const built = await run(kustomize, ["build", join(overlays, overlay)], { timeoutMs: RUN_MS });
  const manifests = parseAllDocuments(built).map((document) => document.toJS());
  const problems = await problemsOf(manifests);
  if (problems.length > 0) throw new Failure(`${overlay}: ${problems.join("\n")}`);
  return manifests.length;
}

await program(async () => {
  await install(steps);
  await findGo();
  const promtool = join(
    await steps.step(
      "building promtool, which takes minutes the first time",
      buildPromtool,
      () => "promtool is built",
    ),
    "promtool",
  );
  const kustomize = join(
    await steps.step("building kustomize", buildKustomize, () => "kustomize is built"),
    "kustomize",
  );
  await steps.step(
    "running the alerts' cases",
    async () => {
      await run(promtool, ["check", "rules", join(alerts, "cambio-bridge.rules.yaml")], {
        timeoutMs: RUN_MS,
      });
      await run(promtool, ["test", "rules", join(alerts, "cambio-bridge.test.yaml")], { timeoutMs: RUN_MS });
    },
    () => "the alerts fire and are silent when they should",
  );
  for (const overlay of readdirSync(overlays))
    await steps.step(
      `building ${overlay}`,
      () => checkOverlay(kustomize, overlay),
      (count) => `${overlay}: ${count} manifests, as Kubernetes wants them`,
    );
  return 0;
});
