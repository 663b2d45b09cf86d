import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findNode, IMAGE_NODE, takeNodeOption, VERSIONS } from "../../../dev/bootstrap/node.mjs";

const silent = () => {};
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "node-test-"));
});
afterEach(() => rm(root, { recursive: true }));

it("takes --node out of the arguments, wherever it stands", () => {
  expect(takeNodeOption(["a", "--node", "24", "--b", "c"])).toEqual({ which: "24", rest: ["a", "--b", "c"] });
  expect(takeNodeOption(["a", "--b"])).toEqual({ which: undefined, rest: ["a", "--b"] });
  expect(() => takeNodeOption(["a", "--node"])).toThrow(/^--node needs one of 22, 24, or the path/);
});

it("is the Node.js at hand unless that is older than the image's, and any that has a path", async () => {
  const here = { path: process.execPath, version: process.version };
  const isOlder = Number.parseInt(process.versions.node, 10) < Number(IMAGE_NODE);
  if (!isOlder) expect(await findNode(undefined, silent)).toEqual(here);
  expect(await findNode(process.execPath, silent)).toEqual(here);
});

it("knows the version of the image", () => {
  expect(VERSIONS[IMAGE_NODE]).toMatch(/^24\.\d+\.\d+$/);
});

it("says in a sentence what it takes", async () => {
  await expect(findNode("23", silent)).rejects.toThrow(
    "There is no Node.js 23 here: --node takes one of 22, 24",
  );
});

it("says in a sentence that the registry cannot be reached, and keeps nothing of the attempt", async () => {
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    CAMBIO_BRIDGE_CACHE: join(root, "cache"),
    npm_config_cache: join(root, "npm"),
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_fetch_retries: "0",
  };
  await expect(findNode("24", silent, env)).rejects.toThrow(
    /^Node\.js 24\.\S+ cannot be downloaded, which demo and tests run on: [^\n]* failed \(ECONNREFUSED\)\. [^\n]*$/,
  );
  expect(await readdir(join(root, "cache"))).toEqual([]);
});
