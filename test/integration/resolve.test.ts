import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decode } from "../support/avro.ts";
import { AT_ONCE_MS, DOUBT_TRACE, writeDoubts } from "../support/doubts.ts";
import { eventually } from "../support/eventually.ts";
import type { ProgramResult } from "../support/program.ts";
import { registryProxy } from "../support/registry-proxy.ts";
import { openWorld, type World } from "../support/world.ts";

// The journal is written here as replicas that are gone left it: two of them, for one commandId, at the same moment.

const LONG_MS = 15_000;

let world: World;
beforeAll(async () => {
  world = await openWorld();
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
  return `${outcome === "FAILED" ? "^Evidence on [^]*never run: .*\n" : "^"}Command ${commandId} is resolved: ${outcome}\\. Durable at ${place(journal)}; its final result at ${place(results)}\\.\n$`;
};
const resultsOf = async (commandId: string) =>
  (await world.read(world.topics.results)).filter(({ key }) => key === commandId);

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

  const named = await resolve("two-quotes", ["--as", "not-executed", "--quote-id", second.toUpperCase()], {
    PARTNER_BASE_URL: "",
  });
  expect(named.code).toBe(0);
  expect(named.err).toMatch(new RegExp(endedAs("two-quotes", "FAILED")));
  expect(JSON.parse(named.out)).toMatchObject({ quoteId: second, outcome: "FAILED", decidedBy: "OPERATOR" });
  // Name and note are not for those who read results.
  for (const { value } of await resultsOf("two-quotes"))
    expect(JSON.stringify(decode("command-result", value))).not.toMatch(/ana|asked the partner/);
  const again = await resolve("two-quotes", ["--as", "succeeded", "--quote-id", second]);
  expect(again).toMatchObject({ code: 1, out: named.out });
  expect(again.err).toContain("decided already");

  // The action stands in the audit topic, with what came of it.
  const entries = await world.read(world.topics.audit);
  for (const { headers } of entries)
    expect(headers).toEqual({ "content-type": "application/cloudevents+json; charset=UTF-8" });
  const audited = entries.map(
    ({ value }) => JSON.parse(String(value)) as { subject: string; data: Record<string, unknown> },
  );
  expect(audited.map(({ subject }) => subject)).toEqual(Array<string>(8).fill("two-quotes"));
  const [requested, done, , refused] = audited.slice(4).map(({ data }) => data);
  expect(requested).toMatchObject({
    ...{ action: "resolve", by: "ana", note: "asked the partner" },
    parameters: { quoteId: second.toUpperCase(), as: "not-executed", force: false },
  });
  expect(done).toMatchObject({
    actionId: requested?.["actionId"],
    outcome: { kind: "done", effect: { outcome: "FAILED" } },
  });
  expect(refused?.["outcome"]).toMatchObject({
    kind: "refused",
    reason: expect.stringContaining("FAILED by OPERATOR (ana: asked the partner)") as string,
  });

  // One doubt is left: now the commandId says enough.
  const last = await resolve("two-quotes", ["--as", "succeeded"]);
  expect(JSON.parse(last.out)).toMatchObject({ quoteId: first, outcome: "SUCCEEDED" });
  // A commandId has one final result, whatever became of the other quote.
  expect(last.err).toContain("its final result at no place");
  const published = await resultsOf("two-quotes");
  expect(published.map(({ value }) => decode("command-result", value)["outcome"])).toEqual(["FAILED"]);
  for (const { headers } of published) expect(headers).toMatchObject({ traceparent: DOUBT_TRACE });
  // A CloudEvent has a source in any case.
  const sources = published.map(({ headers }) => headers["ce_source"]);
  expect(sources).toEqual([`/cambio-bridge/${world.groupId}`]);
});

test("a claim is as old as the journal says, whatever the clock of the operator's machine says", async () => {
  await doubts("young", LONG_MS, "q-young");
  const fast = { NODE_OPTIONS: "--import data:text/javascript,const{now}=Date;Date.now=()=>now()+1e6" };
  const tooYoung = await resolve("young", ["--as", "not-executed"], fast);
  expect(tooYoung).toMatchObject({ code: 1, out: "" });
  expect(tooYoung.err).toContain("--force");
  expect(tooYoung.err).toMatch(/began at \d{4}-\S+Z .*: resolve it from \d{4}-\S+Z on, by Kafka's clock/);
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
  expect(err).toContain("nothing was decided. SCHEMA_REGISTRY_URL (http://127.0.0.1:1): ");
  expect(await resultsOf("no-registry")).toEqual([]);
});

test("an interrupt decides nothing, unless the decision is being written", async () => {
  await doubts("typo", AT_ONCE_MS, "q-typo");
  const registry = await registryProxy();
  const release = registry.hold();
  const args = ["resolve", "typo", "--as", "succeeded", "--by", "ana", "--note", "a slip"];
  const program = await world.start(args, { SCHEMA_REGISTRY_URL: registry.url });
  await eventually(() => registry.questions.length > 0, "the registry to be asked", 30_000);
  program.signal("SIGINT");
  await program.untilLine((line) => line.startsWith("Stopping."), "what the interrupt does");
  release();
  expect(await program.exited()).toBe(1);
  expect((await program.lines()).at(-1)).toBe("It was interrupted, and nothing was done.");
  expect(await resultsOf("typo")).toEqual([]);
  const last = (await world.read(world.topics.audit)).at(-1);
  expect(JSON.parse(String(last?.value))).toMatchObject({
    subject: "typo",
    data: { outcome: { kind: "refused", reason: "It was interrupted, and nothing was done." } },
  });

  expect(await resolve("typo", ["--as", "succeeded"])).toMatchObject({ code: 0 });
});
