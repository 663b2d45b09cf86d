import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { sharedCluster } from "../support/cluster.ts";
import { AT_ONCE_MS, DOUBT_TRACE, writeDoubts } from "../support/doubts.ts";
import { readTopic } from "../support/follow-topics.ts";
import type { ProgramResult } from "../support/program.ts";
import { openWorld, type World } from "../support/world.ts";

// The journal is written here as replicas that are gone left it: two of them, for one commandId, at the same moment.

const LONG_MS = 15_000;

let world: World;
beforeAll(async () => {
  world = await openWorld(sharedCluster());
});
afterAll(() => world.close());

const doubts = (commandId: string, callWithinMs: number, ...quoteIds: string[]): Promise<void> =>
  writeDoubts(world, commandId, callWithinMs, ...quoteIds);

const resolve = (commandId: string, args: readonly string[], env = {}): Promise<ProgramResult> =>
  world.run(["resolve", commandId, "--by", "ana", "--note", "asked the partner", ...args], env);
/** What `resolve` says to people of a doubt that it ended. */
const endedAs = (commandId: string, outcome: string): string => {
  const place = (topic: string): string => `${topic}\\[\\d+\\]@\\d+`;
  const { journal, results } = world.topics;
  return `^Command ${commandId} is ended: ${outcome}\\. Durable at ${place(journal)}; its final result at ${place(results)}\\.\n$`;
};
const resultsOf = async (commandId: string) =>
  (await readTopic(world.brokers, world.topics.results)).filter(({ key }) => key === commandId);

test("a command that is in doubt for two quotes is only decided for the one that is named", async () => {
  const [first, second] = [`q-${randomUUID()}`, randomUUID()];
  await doubts("two-quotes", AT_ONCE_MS, first, second);

  const unnamed = await resolve("two-quotes", ["--as", "succeeded"]);
  expect(unnamed).toMatchObject({ code: 1, out: "" });
  for (const text of [first, second, "--quote-id"]) expect(unnamed.err).toContain(text);
  const other = await resolve("two-quotes", ["--as", "succeeded", "--quote-id", "q-other"]);
  expect(other).toMatchObject({ code: 1, out: "" });
  const journalOfBrokers = `${world.topics.journal} of KAFKA_BROKERS (${world.brokers})`;
  for (const text of ["q-other", "upper and lower case count", journalOfBrokers])
    expect(other.err).toContain(text);
  expect(await resultsOf("two-quotes")).toEqual([]);

  const named = await resolve("two-quotes", ["--as", "not-executed", "--quote-id", second.toUpperCase()]);
  expect(named.code).toBe(0);
  expect(named.err).toMatch(new RegExp(endedAs("two-quotes", "FAILED")));
  expect(JSON.parse(named.out)).toMatchObject({ quoteId: second, outcome: "FAILED", decidedBy: "OPERATOR" });
  const again = await resolve("two-quotes", ["--as", "succeeded", "--quote-id", second]);
  expect(again).toMatchObject({ code: 1, out: named.out });
  expect(again.err).toContain("decided already");

  // The action stands in the audit topic, with what came of it.
  const audited = (await readTopic(world.brokers, world.topics.audit)).map(
    ({ value }) => JSON.parse(String(value)) as { subject: string; data: Record<string, unknown> },
  );
  expect(audited.map(({ subject }) => subject)).toEqual(Array<string>(8).fill("two-quotes"));
  expect(audited[4]?.data).toMatchObject({
    action: "resolve",
    by: "ana",
    note: "asked the partner",
    parameters: { quoteId: second.toUpperCase(), as: "not-executed", force: false },
  });
  const journalPlace = `${world.topics.journal}[`;
  expect(audited[5]?.data).toMatchObject({
    actionId: audited[4]?.data["actionId"],
    outcome: {
      kind: "done",
      effect: { outcome: "FAILED", journal: expect.stringContaining(journalPlace) as string },
    },
  });
  expect(audited[7]?.data["outcome"]).toMatchObject({
    kind: "refused",
    reason: expect.stringMatching(
      /decided already .*: FAILED by OPERATOR \(ana: asked the partner\), .*\]@\d+/,
    ) as string,
  });

  // One doubt is left: now the commandId says enough.
  const last = await resolve("two-quotes", ["--as", "succeeded"]);
  expect(JSON.parse(last.out)).toMatchObject({ quoteId: first, outcome: "SUCCEEDED" });
  const published = await resultsOf("two-quotes");
  expect(published.map(({ value }) => decode("command-result", value)["outcome"]).sort()).toEqual([
    "FAILED",
    "SUCCEEDED",
  ]);
  for (const { headers } of published) expect(headers).toMatchObject({ traceparent: DOUBT_TRACE });
});

test("a claim is as old as the journal says, whatever the clock of the operator's machine says", async () => {
  await doubts("young", LONG_MS, "q-young");
  const fast = { NODE_OPTIONS: "--import data:text/javascript,const{now}=Date;Date.now=()=>now()+1e6" };
  const tooYoung = await resolve("young", ["--as", "not-executed"], fast);
  expect(tooYoung).toMatchObject({ code: 1, out: "" });
  expect(tooYoung.err).toContain("--force");
  expect(tooYoung.err).toMatch(/began \d{1,2} s ago .*: run it again in \d (min|s)/);
  expect(await resultsOf("young")).toEqual([]);

  await doubts("old", AT_ONCE_MS, "q-old");
  const slow = { NODE_OPTIONS: fast.NODE_OPTIONS.replace("+", "-") };
  const old = await resolve("old", ["--as", "not-executed"], slow);
  expect(old.code).toBe(0);
  expect(old.err).toMatch(new RegExp(endedAs("old", "FAILED")));
});

test("without the registry nothing is decided, and it is the registry that is named", async () => {
  await doubts("no-registry", AT_ONCE_MS, `q-${randomUUID()}`);
  const nowhere = { SCHEMA_REGISTRY_URL: "http://127.0.0.1:1" };
  const { code, out, err } = await resolve("no-registry", ["--as", "succeeded"], nowhere);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("nothing was decided: run it again when the schema registry answers.");
  expect(await resultsOf("no-registry")).toEqual([]);
});
