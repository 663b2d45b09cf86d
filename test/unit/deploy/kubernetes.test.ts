import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { problemsOf } from "../../../dev/deploy/manifests.mjs";
import { loadConfig } from "../../../src/config/load.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = fileURLToPath(new URL("../../../deploy/kubernetes", import.meta.url));

type Kustomization = {
  resources?: string[];
  components?: string[];
  patches?: { path?: string }[];
  configMapGenerator?: { envs?: string[]; literals?: string[] }[];
};
type Container = Record<string, unknown> & {
  lifecycle: { preStop: { sleep: { seconds: number } } };
  securityContext: object;
  ports: { name: string; containerPort: number }[];
};
type Pod = {
  metadata: { labels: Record<string, string> };
  spec: Record<string, unknown> & {
    terminationGracePeriodSeconds: number;
    containers: Container[];
    initContainers: Container[];
    volumes: { name: string; secret: { secretName: string } }[];
  };
};
type Workload = { apiVersion: string; kind: string; spec: { template: Pod } };

const SECRET = "secret.sample.yaml";
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(yaml|env)$/.test(name) && name !== SECRET)
  .map((name) => join(folder, name));
const kustomizations = files.filter((file) => basename(file) === "kustomization.yaml");
// As Kubernetes reads YAML: 0440 is octal.
const read = (file: string): unknown => parse(readFileSync(file, "utf8"), { version: "1.1" });
const workload = (name: string): Workload => read(join(folder, name)) as Workload;

const listedIn = (file: string, { resources = [], components = [], patches = [] }: Kustomization): string[] =>
  [...resources, ...components, ...patches.flatMap(({ path }) => path ?? [])].map((name) =>
    join(dirname(file), name),
  );

test("every file is named by a kustomization, and every name is one of a file or of a folder with one", () => {
  const named = kustomizations.flatMap((file) => {
    const content = read(file) as Kustomization;
    const envs = (content.configMapGenerator ?? []).flatMap((each) => each.envs ?? []);
    return [...listedIn(file, content), ...envs.map((name) => join(dirname(file), name))];
  });
  const missing = named.filter(
    (path) =>
      !existsSync(path.endsWith(".yaml") || path.endsWith(".env") ? path : join(path, "kustomization.yaml")),
  );
  expect(missing).toEqual([]);
  expect(files.filter((file) => !kustomizations.includes(file) && !named.includes(file))).toEqual([]);
});

test(
  "manifests are what Kubernetes and the Prometheus operator take, to the last name",
  { timeout: 60_000 },
  async () => {
    const manifests = files
      .filter(
        (file) =>
          file.endsWith(".yaml") && !kustomizations.includes(file) && basename(file) !== "container.yaml",
      )
      .map((file) => read(file) as Workload);
    expect(manifests.map(({ kind }) => kind)).toContain("PodMonitor");
    const deployment = workload("base/deployment.yaml");
    const misspelt = { ...deployment, spec: { ...deployment.spec, replica: 3 } };
    const wrong = { ...deployment, spec: { ...deployment.spec, replicas: "three" } };
    expect(await problemsOf([...manifests, misspelt, wrong])).toEqual([
      expect.stringContaining("replicas must be integer"),
      expect.stringContaining("does not exist in type 'IDeploymentSpec'"),
      expect.stringContaining("Type 'string' is not assignable"),
    ]);
  },
);

const service = workload("base/deployment.yaml").spec.template;
const sidecar = workload("sidecar/container.yaml").spec.template;
const container = service.spec.containers[0]!;
const consolePod = workload("console/deployment.yaml").spec.template;
const toolsPod = read(join(folder, "tools/pod.yaml")) as Pod;
/** A value may have an equals sign, too. */
const settingOf = (line: string): [string, string] => {
  const [name = "", ...value] = line.split("=");
  return [name, value.join("=")];
};
const settingsIn = (file: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(folder, file), "utf8")
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .map(settingOf),
  );
const settings = settingsIn("settings/settings.env");

/** The environment of an overlay, whose secrets lie in files of a test's own. */
const environmentWith = (literals: readonly string[], common = settings): Record<string, string> => {
  const secrets = temporaryFolder();
  const changed = Object.fromEntries(literals.map(settingOf));
  const entries = Object.entries({ ...common, ...changed }).map(([name, value]): [string, string] => {
    if (!value.startsWith("/run/secrets/cambio-bridge/")) return [name, value];
    const file = join(secrets, basename(value));
    writeFileSync(file, "a-secret-of-the-test");
    return [name, file];
  });
  return Object.fromEntries(entries);
};

test("the sample of the Secret has what the settings and the tools read, and nothing that could be used", () => {
  const { metadata, stringData } = read(join(folder, SECRET)) as {
    metadata: { name: string };
    stringData: Record<string, string>;
  };
  const names = Object.values({ ...settings, ...settingsIn("tools/tools.env") })
    .filter((value) => value.startsWith("/run/secrets/"))
    .map((value) => basename(value));
  expect(metadata.name).toBe(service.spec.volumes[0]?.secret.secretName);
  expect(Object.keys(stringData).toSorted()).toEqual([...new Set(names)].toSorted());
  expect(new Set(Object.values(stringData))).toEqual(new Set([""]));
  expect(settings["COMMANDS_MAX_AMOUNT"]).toMatch(/^[A-Z]{3}=\d+,\*=\d+$/);
});

test.each([
  { name: "bridge", pod: service },
  { name: "console", pod: consolePod },
  { name: "pod for people", pod: toolsPod },
])("the $name runs with no right that it does not need", ({ pod }) => {
  expect(pod.spec).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  });
  expect(pod.spec.containers[0]?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
});

test("a sidecar is the same container, but that it lives as long as the pod and brings its own identity", () => {
  const [beside, ...others] = sidecar.spec.initContainers;
  expect(others).toEqual([]);
  const { runAsUser, runAsGroup, runAsNonRoot, seccompProfile } = service.spec["securityContext"] as Record<
    string,
    unknown
  >;
  expect(beside).toEqual({
    ...container,
    restartPolicy: "Always",
    securityContext: { ...container.securityContext, runAsUser, runAsGroup, runAsNonRoot, seccompProfile },
    volumeMounts: [{ name: "cambio-bridge", mountPath: "/run/secrets/cambio-bridge", readOnly: true }],
  });
});

test.each([
  { name: "service", pod: service },
  { name: "sidecar", pod: sidecar },
])(
  "a $name has its ports and time to drain, and is scraped under the job that the alerts ask for",
  ({ pod }) => {
    const loaded = loadConfig(environmentWith([]), "serve");
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const { preStop } = container.lifecycle;
    const { bridge, webhook, management } = loaded.config;
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(ports).toEqual({ webhook: webhook.port, management: management.port });
    const neededSeconds = preStop.sleep.seconds + bridge.shutdownTimeoutMs / 1_000;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(neededSeconds);
    const monitor = read(join(folder, "monitoring/pod-monitor.yaml")) as {
      spec: { jobLabel: string; selector: { matchLabels: object } };
    };
    expect(pod.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(pod.metadata.labels[monitor.spec.jobLabel]).toBe("cambio-bridge");
  },
);

test("beside an application only Prometheus reaches the management port, and the other ports stay open", () => {
  const { podSelector, ingress } = (
    read(join(folder, "sidecar/network-policy.yaml")) as {
      spec: { podSelector: { matchLabels: object }; ingress: { from?: object; ports: object[] }[] };
    }
  ).spec;
  expect(sidecar.metadata.labels).toMatchObject(podSelector.matchLabels);
  const [scrapes, others] = ingress;
  const management = Number(container.ports.find(({ name }) => name === "management")?.containerPort);
  expect(scrapes).toMatchObject({ from: [{}], ports: [{ port: management }] });
  expect(others?.from).toBeUndefined();
  expect(others?.ports.slice(0, 2)).toEqual([
    { port: 1, endPort: management - 1 },
    { port: management + 1, endPort: 65_535 },
  ]);
  expect((read(join(folder, "sidecar/kustomization.yaml")) as { resources: string[] }).resources).toEqual([
    "network-policy.yaml",
  ]);
});

test("the settings of every overlay are ones that the bridge takes without a warning", () => {
  const generators = kustomizations.flatMap((file) => (read(file) as Kustomization).configMapGenerator ?? []);
  expect(generators.length).toBeGreaterThan(3);
  for (const { literals = [] } of generators)
    expect(loadConfig(environmentWith(literals), "serve")).toMatchObject({ ok: true, warnings: [] });
  expect(loadConfig(environmentWith(["WEBHOOK_SECRETS=x"]), "serve")).toMatchObject({ ok: false });
});

test("the console has its own port, settings that it takes, and none of the partner's secrets", () => {
  const environment = settingsIn("console/console.env");
  const loaded = loadConfig(environmentWith([], environment), "console");
  expect(loaded).toMatchObject({ ok: true, warnings: [] });
  if (!loaded.ok) throw new Error("refused");
  const [{ ports, args } = { ports: [], args: [] }] = consolePod.spec.containers;
  expect(args).toEqual(["console"]);
  // Whoever runs `resolve` in a pod of the bridge is bound by it as well.
  expect(settings["CONSOLE_FOUR_EYES"]).toBe(environment["CONSOLE_FOUR_EYES"]);
  expect(ports).toEqual([{ name: "http", containerPort: loaded.config.console.port }]);
  const widths = loaded.config.console.trustedProxyCidrs.map((range) => Number(range.split("/")[1] ?? 32));
  expect(Math.min(...widths), "no network of pods, any of which could make operators").toBeGreaterThan(27);
  expect(Object.keys(environment).filter((name) => /^(PARTNER_.*TOKEN|WEBHOOK_)/.test(name))).toEqual([]);
});

test("the pod for people has settings that the commands take, a user of its own, and four eyes as the console has", () => {
  const environment = settingsIn("tools/tools.env");
  expect(loadConfig(environmentWith([], environment), "tool")).toMatchObject({ ok: true, warnings: [] });
  expect(environment["KAFKA_SASL_USERNAME"]).not.toBe(settings["KAFKA_SASL_USERNAME"]);
  expect(environment["CONSOLE_FOUR_EYES"]).toBe("true");
});
