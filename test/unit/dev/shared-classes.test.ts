import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sharedClasses } from "../../../dev/cluster/shared-classes.mjs";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "shared-classes-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A Java that writes what its flag asks for when it ends in order. */
const java = (flags: string[]) => {
  const ends: string[] = [];
  const [, made] = /^-XX:ArchiveClassesAtExit=(.*)$/.exec(flags[0] ?? "") ?? [];
  const kill = () => Promise.resolve(void ends.push("kill"));
  const stop = async () => {
    ends.push("stop");
    if (made) await writeFile(made, "classes");
  };
  return { ends, kill, stop };
};

it("keeps the classes of the first start that ends in order, and the next one takes them", async () => {
  const installation = join(folder, "kafka");
  const first = sharedClasses(installation, true);
  const made = java(first.flags);
  await first.end(made);
  expect(made.ends).toEqual(["stop"]);
  expect(existsSync(`${installation}.jsa`)).toBe(true);

  const second = sharedClasses(installation, true);
  expect(second.flags).toEqual([`-XX:SharedArchiveFile=${installation}.jsa`]);
  const started = java(second.flags);
  await second.end(started);
  expect(started.ends).toEqual(["kill"]);
});

it("makes none where it is not asked to", async () => {
  const classes = sharedClasses(join(folder, "kafka"), false);
  expect(classes.flags).toEqual([]);
  const started = java(classes.flags);
  await classes.end(started);
  expect(started.ends).toEqual(["kill"]);
});
