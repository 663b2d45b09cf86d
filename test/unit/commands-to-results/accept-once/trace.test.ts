import { expect, it } from "vitest";
import { buildResult } from "../../../../src/commands-to-results/build-result.ts";
import { createExecute } from "../../../../src/commands-to-results/accept-once/execute.ts";
import { endLeftovers } from "../../../../src/commands-to-results/accept-once/loops.ts";
import { accept, concluded, createDeps, createLog, itemOf } from "./journal.ts";

const c1 = accept("c1");
const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const OTHER = "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01";
const place = { isHeld: () => true, leave: () => undefined, take: () => Promise.resolve() };
const never = new AbortController().signal;
const life = { stop: never, cut: never, abandon: never };

/** A command in doubt that came with a trace, and the trace of everything that is published. */
const doubted = async (traceparent: string | null = TRACE) => {
  const log = createLog();
  const published: (string | null)[] = [];
  const { deps } = createDeps(log, {
    call: (_, { mayCall }) => {
      mayCall();
      return Promise.resolve({ kind: "unknown", reason: "reset", answer: null });
    },
    publish: (_result, _value, { traceparent: trace }) => {
      published.push(trace);
      return Promise.resolve();
    },
  });
  const execute = createExecute(deps);
  const run = (trace: string | null) =>
    execute({ ...itemOf(c1), envelope: { traceparent: trace, origin: null } }, life, place);
  await run(traceparent);
  return { log, deps, published, run };
};

it("is that of the command when somebody else publishes its final result", async () => {
  const { log, deps, published } = await doubted();
  const { attemptId } = log.entries[0]!.entry.step as { attemptId: string };
  const result = buildResult(
    { identity: itemOf(c1).identity, receivedAt: 0, completedAt: 0, attempts: 1 },
    { outcome: "SUCCEEDED", error: null, decidedBy: "PARTNER", answer: null },
  );
  log.append(c1, {
    ...concluded(attemptId, "SUCCEEDED"),
    ...{ result: deps.codec.encode(result), resultId: result.resultId, traceparent: TRACE },
  });
  const stop = new AbortController();
  const running = endLeftovers(deps, { afterMs: 0, everyMs: 2, signal: stop.signal });
  await expect.poll(() => published).toEqual([TRACE, TRACE]);
  stop.abort(new Error("over"));
  await expect(running).rejects.toThrow("over");
});

it("is its own for a command that is sent again with one, and the one that stands otherwise", async () => {
  const { run, published } = await doubted();
  await run(OTHER);
  await run(null);
  expect(published).toEqual([TRACE, OTHER, TRACE]);
});
