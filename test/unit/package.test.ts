import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { OLDEST_NODE } from "../../dev/bootstrap/node.mjs";
import { MAIN } from "../../dev/main.mjs";
import { filesIn, root, textOf } from "../support/documents.ts";

type Package = {
  version: string;
  license: string;
  engines: { node: string };
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const own = JSON.parse(textOf("package.json")) as Package;

/** npm writes warnings of the machine's settings to standard error. */
const npm = (...args: string[]): unknown =>
  JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));

test("an older Node.js than package.json asks for is named in one sentence", () => {
  expect(own.engines.node).toBe(`>=${OLDEST_NODE}.0.0`);
  const startOn = (major: number) => {
    const versions = `{value:{...process.versions,node:"${major}.1.0"}}`;
    const fake = `data:text/javascript,Object.defineProperty(process,"versions",${versions})`;
    return spawnSync(process.execPath, ["--import", fake, MAIN, "--version"], { encoding: "utf8" });
  };
  expect(startOn(Number(OLDEST_NODE))).toMatchObject({ status: 0, stderr: "" });
  const { status, stderr } = startOn(Number(OLDEST_NODE) - 1);
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^cambio-bridge needs Node\.js \d+ or newer.*\n$/),
  ]);
});

test("one version stands in the interfaces' documents and in the manifests", () => {
  const files = [
    "docs/asyncapi.yaml",
    "docs/openapi.yaml",
    ...filesIn("deploy", ".yaml", { recursive: true }),
  ];
  const versions = files.flatMap((file) =>
    [...textOf(file).matchAll(/^ {2}version: (\S+)$|image: cambio-bridge:(\S+)|newTag: (\S+) \}/gm)].map(
      (match) => match.slice(1).find(Boolean),
    ),
  );
  expect(versions).toHaveLength(11);
  expect(new Set(versions)).toEqual(new Set([own.version]));
});

test("the bill of materials names what is installed, and nothing of the development", () => {
  type Bill = {
    bomFormat: string;
    metadata: { component: { purl: string } };
    components: { name: string }[];
  };
  const bill = npm("run", "--silent", "sbom") as Bill;
  expect(bill.bomFormat).toBe("CycloneDX");
  expect(bill.metadata.component.purl).toBe(`pkg:npm/cambio-bridge@${own.version}`);
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(own.dependencies)));
  for (const tool of ["vitest", "typescript", "eslint", "prettier"]) {
    expect(own.devDependencies).toHaveProperty(tool);
    expect(names).not.toContain(tool);
  }
}, 60_000);

test("the package holds what its users need, and nothing else", () => {
  const [pack] = npm("pack", "--dry-run", "--json", "--ignore-scripts") as { files: { path: string }[] }[];
  const paths = pack!.files.map(({ path }) => path).filter((path) => !path.startsWith("dist/"));
  expect(paths).toEqual(
    expect.arrayContaining([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "docs/asyncapi.yaml",
      "docs/openapi.yaml",
      "docs/operations.md",
      "package.json",
      "schemas/command.avsc",
    ]),
  );
  expect(paths.filter((path) => /^(src|test|dev|bench|node_modules)\b/.test(path))).toEqual([]);
}, 60_000);
