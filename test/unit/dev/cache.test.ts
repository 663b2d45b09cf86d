import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cached, cacheFolder } from "../../../dev/cluster/cache.mjs";

let root: string;
beforeEach(async () => {
  root = join(await mkdtemp(join(tmpdir(), "cache-test-")), "nested");
});
afterEach(() => rm(join(root, ".."), { recursive: true }));

it("fills a folder once", async () => {
  let fills = 0;
  const fill = async (folder: string) => {
    fills++;
    await writeFile(join(folder, "jar"), "bytes");
  };
  const folder = await cached("thing", fill, root);
  expect(await cached("thing", fill, root)).toBe(folder);
  expect(fills).toBe(1);
  expect(await readFile(join(folder, "jar"), "utf8")).toBe("bytes");
});

it("leaves nothing behind when filling fails, and tries again next time", async () => {
  const half = async (folder: string) => {
    await writeFile(join(folder, "half"), "");
    throw new Error("connection lost");
  };
  await expect(cached("thing", half, root)).rejects.toThrow("connection lost");
  expect(await readdir(root)).toEqual([]);
  const folder = await cached("thing", (to) => writeFile(join(to, "whole"), ""), root);
  expect(await readdir(folder)).toEqual(["whole"]);
});

it("shows the folder to nobody before it is full, and lets the first of two runs win", async () => {
  let letSlowEnd = () => {};
  const slowMayEnd = new Promise<void>((resolve) => (letSlowEnd = resolve));
  let slow: Promise<string> | undefined;
  await new Promise<void>((slowIsFilling) => {
    const fill = async (folder: string) => {
      await writeFile(join(folder, "by"), "slow");
      slowIsFilling();
      await slowMayEnd;
    };
    slow = cached("thing", fill, root);
  });
  expect(existsSync(join(root, "thing"))).toBe(false);
  const fast = await cached("thing", (folder) => writeFile(join(folder, "by"), "fast"), root);
  letSlowEnd();
  expect(await slow).toBe(fast);
  expect(await readFile(join(fast, "by"), "utf8")).toBe("fast");
  expect(await readdir(root)).toEqual(["thing"]);
});

it("removes what an interrupted run left, and not what a running one is filling", async () => {
  const noSuchProcess = 2 ** 30;
  await mkdir(join(root, `.unfinished-${noSuchProcess}-thing-00`), { recursive: true });
  await mkdir(join(root, `.unfinished-${process.pid}-other-00`), { recursive: true });
  await cached("thing", () => Promise.resolve(), root);
  expect((await readdir(root)).sort()).toEqual([`.unfinished-${process.pid}-other-00`, "thing"]);
});

it("lies where the environment says", () => {
  expect(cacheFolder({ CAMBIO_BRIDGE_CACHE: "/a", XDG_CACHE_HOME: "/b" })).toBe("/a");
  expect(cacheFolder({ XDG_CACHE_HOME: "/b" })).toBe("/b/cambio-bridge");
  expect(cacheFolder({})).toMatch(/\/\.cache\/cambio-bridge$/);
});
