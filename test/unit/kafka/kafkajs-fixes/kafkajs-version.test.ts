import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";

/**
 * The version whose modules `produce/produce-request.ts`, `produce/produce-response.ts`,
 * `consume/record-decoder.ts`, `cluster/metadata-response.ts` and `idle-timers.ts` change.
 */
const KNOWN = "2.2.4";

type Manifest = { version: string; dependencies?: Record<string, string> };
const manifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8")) as Manifest;
const { resolve } = createRequire(import.meta.url);

test("kafkajs has the version whose modules are patched here: check each patch before you change this", () => {
  expect(manifest(resolve("kafkajs/package.json")).version).toBe(KNOWN);
  expect(manifest(resolve("../../../../package.json")).dependencies?.["kafkajs"]).toBe(KNOWN);
});
