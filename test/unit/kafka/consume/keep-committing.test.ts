import { expect, it } from "vitest";
import { silent } from "../../../../src/runtime/log.ts";
import { keepCommitting } from "../../../../src/kafka/consume/keep-committing.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

type Said = { level: "debug" | "warn"; event: string; refusedForMs: number; reason: string };

/** The log lines about commits until `untilMs`, with a clock that only sleeping advances. */
const commits = async (untilMs: number, isRefused: (atMs: number) => boolean) => {
  const end = new AbortController();
  const said: Said[] = [];
  const triedAt: number[] = [];
  let nowMs = 0;
  const sleep = (ms: number): Promise<void> => {
    if (nowMs + ms > untilMs) {
      end.abort(new Error("the end"));
      return Promise.reject(new Error("the end"));
    }
    nowMs += ms;
    return Promise.resolve();
  };
  const say = (level: Said["level"]) => (fields: object, event: string) =>
    void said.push({ level, event, ...(fields as Pick<Said, "refusedForMs" | "reason">) });
  await keepCommitting(
    () => {
      triedAt.push(nowMs);
      return isRefused(nowMs) ? Promise.reject(new Error("rebalancing")) : Promise.resolve();
    },
    {
      clock: { ...systemClock, monotonic: () => nowMs, sleep },
      log: { ...silent, debug: say("debug"), warn: say("warn") },
      signal: end.signal,
    },
  );
  return { said, triedAt, warnings: said.filter(({ level }) => level === "warn") };
};
const MINUTE_MS = 60_000;

it.each([
  ["not while a rebalance may explain them", MINUTE_MS - 100, () => true, []],
  ["once, after a minute", 5 * MINUTE_MS, () => true, [MINUTE_MS]],
  ["again after another minute", 6 * MINUTE_MS, (at: number) => at !== 3 * MINUTE_MS, [MINUTE_MS, MINUTE_MS]],
])("warns about refused commits %s", async (_, untilMs, isRefused, expected) => {
  const { said, triedAt, warnings } = await commits(untilMs, isRefused);
  expect(warnings.map(({ refusedForMs }) => refusedForMs)).toEqual(expected);
  expect(said).toHaveLength(triedAt.filter(isRefused).length);
});

it("logs nothing about successful commits, and commits once more at the end", async () => {
  const { said, triedAt } = await commits(300, () => false);
  expect([said, triedAt]).toEqual([[], [100, 200, 300, 300]]);
});

it.each([
  ["is taken, and once more for what finished meanwhile", null, 2],
  ["is refused, and not once more: the end does not wait twice", new Error("no answer"), 1],
])("the end waits until a commit under way %s", async (_, refusal, commitsInAll) => {
  const end = new AbortController();
  let commitsBegun = 0;
  await keepCommitting(
    () => {
      commitsBegun += 1;
      end.abort(new Error("the end"));
      return refusal ? Promise.reject(refusal) : Promise.resolve();
    },
    { clock: { ...systemClock, sleep: () => Promise.resolve() }, log: silent, signal: end.signal },
  );
  expect(commitsBegun).toBe(commitsInAll);
});
