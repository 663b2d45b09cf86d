import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openDoubts } from "../../src/operate/doubts/doubts.ts";
import { sharedCluster } from "../support/cluster.ts";
import { toolServicesFor } from "../support/tool-services.ts";
import { AT_ONCE_MS, writeAccepts, writeDoubts } from "../support/doubts.ts";
import { COMPILED, MAIN, NODE_FLAGS } from "../../dev/main.mjs";
import { toolSettings } from "../support/settings.ts";
import { openWorld } from "../support/world.ts";

const DOUBTS = 10_000;
const ACCEPTS = 200_000;
const MOST_MIB = 400;
/** Or, where the machine is busy, this many times as long as writing the same records took. */
const WITHIN_MS = 20_000;
const TIMES_WRITING = 2;

/** The most memory that a process has had, in MiB; 0 once it is gone. */
const peakOf = (pid: number): number => {
  try {
    const [, kib = "0"] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kib) / 1_024;
  } catch {
    return 0;
  }
};

test("ten thousand doubts among two hundred thousand accepts are listed in seconds, in bounded memory", async () => {
  const world = await openWorld(sharedCluster());
  onTestFinished(world.close);
  const services = toolServicesFor(world);
  const writingAt = performance.now();
  await writeAccepts(world, ACCEPTS);
  await writeDoubts(world, "order", AT_ONCE_MS, ...Array.from({ length: DOUBTS }, () => randomUUID()));

  const wroteMs = performance.now() - writingAt;
  const begunAt = performance.now();
  const env = toolSettings(sharedCluster(), world);
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, "doubts", "--json"], {
    env: { ...env, ...COMPILED },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let peakMib = 0;
  const watch = setInterval(() => (peakMib = Math.max(peakMib, peakOf(child.pid ?? 0))), 50);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = out.trim().split("\n");
  const [code] = (await exited) as [number | null];
  clearInterval(watch);
  const ms = performance.now() - begunAt;
  console.log(
    `${lines.length} doubts in ${Math.round(ms)} ms, at most ${Math.round(peakMib)} MiB; written in ${Math.round(wroteMs)} ms`,
  );
  expect([code, lines.length], err).toEqual([0, DOUBTS]);
  expect(new Set(lines.map((line) => (JSON.parse(line) as { quoteId: string }).quoteId)).size).toBe(DOUBTS);
  expect(ms).toBeLessThan(Math.max(WITHIN_MS, TIMES_WRITING * wroteMs));
  expect(peakMib).toBeGreaterThan(0);
  expect(peakMib).toBeLessThan(MOST_MIB);

  // While it is read, what is known so far can be asked.
  const signal = new AbortController().signal;
  const opened = await openDoubts(services);
  try {
    const reading: number[] = [];
    await opened.untilRead(signal, ({ read }) => reading.push(read));
    expect(reading.length).toBeGreaterThan(1);
    expect(opened.progress()).toMatchObject({ isComplete: true, problem: null });
    expect(opened.numbers()).toMatchObject({ doubts: DOUBTS, commands: ACCEPTS + DOUBTS });
    expect(await opened.list(5_000, 50, signal)).toHaveLength(50);
  } finally {
    await opened.close();
  }
}, 300_000);
