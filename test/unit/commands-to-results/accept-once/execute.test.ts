import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createExecute } from "../../../../src/commands-to-results/accept-once/execute.ts";
import type { Deps } from "../../../../src/commands-to-results/accept-once/ports.ts";
import { ownVerdict, type Verdict } from "../../../../src/commands-to-results/types.ts";
import type { Outcome } from "../../../../src/partner/types.ts";
import { eventually } from "../../../support/eventually.ts";
import { accept, claimed, concluded, create, createDeps, createLog, freePermit, itemOf } from "./journal.ts";

const c1 = accept("c1");
const place = { isHeld: () => true, leave: () => undefined, take: () => Promise.resolve() };

const lifelines = () => {
  const [stop, cut, abandon] = [new AbortController(), new AbortController(), new AbortController()];
  return { stop, cut, abandon, signals: { stop: stop.signal, cut: cut.signal, abandon: abandon.signal } };
};

const bridge = (changes: Partial<Deps> = {}, log = createLog()) => {
  const { deps, results } = createDeps(log, changes);
  const execute = createExecute(deps);
  const life = lifelines();
  return { log, deps, results, life, run: (ref = c1) => execute(itemOf(ref), life.signals, place) };
};

const kinds = (log: ReturnType<typeof createLog>): string[] =>
  log.entries.map(({ entry }) => entry.step.kind);

const answers = (...outcomes: Outcome[]) => {
  let calls = 0;
  const call: Deps["call"] = (_, { mayCall }) => {
    if (!mayCall()) return Promise.resolve({ kind: "notSent", reason: "not allowed" });
    calls += 1;
    return Promise.resolve(outcomes.shift() ?? { kind: "unknown", reason: "no more answers", answer: null });
  };
  return { call, calls: () => calls };
};

const ok: Outcome = { kind: "executed", answer: { httpStatus: 200, body: "{}", retryAfterMs: null } };
const throttled: Outcome = { kind: "throttled", answer: { httpStatus: 429, body: "", retryAfterMs: 1 } };
const lost: Outcome = { kind: "unknown", reason: "reset", answer: null };

describe("execute", () => {
  describe("while a partition takes no records", () => {
    it.each([
      ["does not end", () => new Promise<never>(() => undefined)],
      ["is refused", () => Promise.reject(new Error("no replicas"))],
    ])("an append that %s gives slot and permit back once no call may follow", async (_, append) => {
      const log = createLog();
      let left = 0;
      let released = 0;
      const { journal, options } = createDeps(log).deps;
      const { deps, life } = bridge(
        {
          journal: { ...journal, append },
          permit: () => ({ ...freePermit, release: () => void (released += 1) }),
          options: { ...options, beginWithinMs: 50 },
        },
        log,
      );
      const slot = { isHeld: () => true, leave: () => (left += 1), take: () => Promise.resolve() };
      const running = createExecute(deps)(itemOf(c1), life.signals, slot);
      void running.catch(() => undefined);
      await eventually(() => left > 0 && released > 0, "slot and permit");
      life.abandon.abort(new Error("the end"));
    });

    it("the breaker's trial whose claim is not taken lets another one begin", async () => {
      const log = createLog();
      const { journal, options } = createDeps(log).deps;
      const isStuck = new Set<string>();
      const append: Deps["journal"]["append"] = (ref, step) =>
        isStuck.has(ref.key) ? Promise.reject(new Error("no replicas")) : journal.append(ref, step);
      const { call } = answers(lost, lost, ok);
      const { run } = bridge({ journal: { ...journal, append }, options, call }, log);
      await run(accept("c1", "q1"));
      await run(accept("c2", "q2"));
      isStuck.add("q3");
      void run(accept("c3", "q3")).catch(() => undefined);
      await expect(run(accept("c4", "q4"))).resolves.toMatchObject({ outcome: "SUCCEEDED" });
    });

    it("a result that its topic does not take holds no slot, also when the command comes again", async () => {
      const { log, deps } = bridge();
      await createExecute(deps)(itemOf(c1), lifelines().signals, place);
      let left = 0;
      const life = lifelines();
      const publish = () => Promise.reject(new Error("no replicas"));
      const slot = { isHeld: () => true, leave: () => (left += 1), take: () => Promise.resolve() };
      const again = createExecute({ ...deps, publish })(itemOf(c1), life.signals, slot);
      await eventually(() => left > 0, "the slot");
      life.abandon.abort(new Error("the end"));
      await expect(again).rejects.toThrow("the end");
      expect(kinds(log)).toEqual(["claimed", "concluded"]);
    });
  });

  it("publishes an earlier result whose schema is being asked for once it is there", async () => {
    const { log, deps, run } = bridge();
    await run();
    let attempts = 0;
    const decode: Deps["codec"]["decode"] = (value) => {
      if ((attempts += 1) < 3) throw new Error("the schema is being asked for");
      return deps.codec.decode(value);
    };
    const again = bridge({ codec: { ...deps.codec, decode } }, log);
    await expect(again.run()).resolves.toMatchObject({ outcome: "SUCCEEDED" });
    expect(again.results).toEqual(["c1 SUCCEEDED"]);
  });

  describe("where accepts pause on a doubt", () => {
    const other = accept("c2", "another quote");
    const pausing = (changes: Partial<Deps> = {}, log = createLog()) => {
      const options = { ...createDeps(log).deps.options, pauseOnDoubt: true };
      return bridge({ options, ...changes }, log);
    };

    it.each<[string, Outcome]>([
      ["no answer", lost],
      ["a body that nobody foresaw", { ...ok, kind: "unclear", reason: "no JSON" }],
    ])("none begins after %s, until the doubt is ended; a create does", async (_, outcome) => {
      const { call, calls } = answers(outcome, ok, ok);
      const { run, log, results } = pausing({ call });
      await expect(run()).resolves.toMatchObject({ outcome: "IN_DOUBT" });
      const waiting = run(other);
      await run(create("c3"));
      expect(results).toEqual(["c1 IN_DOUBT", "c3 SUCCEEDED"]);
      expect(calls()).toBe(2);
      log.append(c1, concluded("a1", "FAILED"));
      await expect(waiting).resolves.toMatchObject({ outcome: "SUCCEEDED" });
    });

    it("none begins while the doubt is still being written", async () => {
      const log = createLog();
      const { journal } = createDeps(log).deps;
      const append: Deps["journal"]["append"] = async (ref, step) => {
        if (step.kind === "concluded") await new Promise(() => undefined);
        return journal.append(ref, step);
      };
      const { call, calls } = answers(lost, ok);
      const { run, life } = pausing({ call, journal: { ...journal, append } }, log);
      run().catch(() => undefined);
      await eventually(() => calls() === 1, "the first call");
      for (const ref of [other, create("c3")]) run(ref).catch(() => undefined);
      await eventually(() => calls() > 1, "the call of the create");
      expect(log.entries.map(({ entry }) => entry.commandId)).toEqual(["c1", "c3"]);
      life.abandon.abort(new Error("the end"));
      life.stop.abort(new Error("the end"));
    });
  });

  it("fails when no time is left for another call", async () => {
    const late: Outcome = { kind: "throttled", answer: { httpStatus: 429, body: "", retryAfterMs: 60_000 } };
    const { run, log } = bridge({ call: answers(late).call });
    await expect(run()).resolves.toMatchObject({ outcome: "FAILED", error: { code: "PARTNER_THROTTLED" } });
    expect(kinds(log)).toEqual(["claimed", "concluded"]);
  });

  it("keeps the partner's last answer when no call follows it, but not for a doubt about a later call", async () => {
    const expired = ownVerdict("REJECTED", "COMMAND_EXPIRED", "late");
    const { call, calls } = answers(throttled);
    const guard = (): Verdict | null => (calls() === 0 ? null : expired);
    await expect(bridge({ call, guard }).run()).resolves.toMatchObject({
      error: { code: "COMMAND_EXPIRED" },
      attempts: 1,
      httpStatus: 429,
      response: "",
    });
    await expect(bridge({ call: answers(throttled, lost).call }).run()).resolves.toMatchObject({
      outcome: "IN_DOUBT",
      attempts: 2,
      httpStatus: null,
    });
  });

  it("takes no other command's entry for its own, should the journal have become another log", async () => {
    const { run, log, deps, results } = bridge();
    const first = await run();
    const { reread } = deps.journal;
    let strange = 2;
    deps.journal.reread = async (position) => {
      const entry = await reread(position);
      return entry && strange-- > 0
        ? { ...entry, commandId: "c2", step: { ...entry.step, requestHash: "other" } as typeof entry.step }
        : entry;
    };
    expect(await run()).toEqual(first);
    expect([results, log.entries.length]).toEqual([["c1 SUCCEEDED", "c1 SUCCEEDED"], 2]);
  });
});

describe("accepts that people have paused", () => {
  const paused = (changes: Partial<Deps> = {}) => {
    let isPaused = true;
    const { call, calls } = answers(...Array.from({ length: 50 }, () => ok));
    const options = { ...createDeps(createLog()).deps.options, deadlineMs: 300 };
    const made = bridge({ call, acceptsPaused: () => isPaused, options, ...changes });
    return { ...made, calls, resume: () => void (isPaused = false) };
  };

  it("wait without their slot and without a claim, longer than their deadline, and then go on", async () => {
    const { log, deps, life, calls, resume } = paused();
    let held = true;
    const slot = {
      isHeld: () => held,
      leave: () => void (held = false),
      take: () => {
        held = true;
        return Promise.resolve();
      },
    };
    const settled = createExecute(deps)(itemOf(c1), life.signals, slot);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([held, log.entries, calls()]).toEqual([false, [], 0]);
    resume();
    await expect(settled).resolves.toMatchObject({ outcome: "SUCCEEDED", attempts: 1 });
  });

  it("share one wait, however many they are", async () => {
    const { life, run, calls, resume } = paused({ options: createDeps(createLog()).deps.options });
    const running = Array.from({ length: 50 }, (_, i) => run(accept(`c${i}`, `q${i}`)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(life.stop.signal, "abort")).toHaveLength(1);
    resume();
    await Promise.all(running);
    expect(calls()).toBe(50);
  });

  it("are rejected once they are too old, also while they are paused", async () => {
    let tooOld: Verdict | null = null;
    const { run, calls } = paused({ guard: () => tooOld });
    const settled = run();
    await new Promise((resolve) => setImmediate(resolve));
    tooOld = ownVerdict("REJECTED", "COMMAND_TOO_OLD", "old");
    await expect(settled).resolves.toMatchObject({ outcome: "REJECTED" });
    expect(calls()).toBe(0);
  });
});

it("a commandId is looked up once more in a partition that is read late: the command's own entry may stand there", async () => {
  const log = createLog();
  log.append(accept("c1", "other"), claimed("x"));
  const { deps, run, results } = bridge({}, log);
  const { append } = deps.journal;
  let isFirst = true;
  deps.journal.append = (ref, step) => {
    // Its own claim, of a replica that is gone, was in the log before: this view has not read it yet.
    const result = Buffer.from(JSON.stringify({ commandId: "c1", outcome: "IN_DOUBT", final: false }));
    if (isFirst) log.append(c1, claimed("lost"), { ...concluded("lost", "IN_DOUBT"), result } as never);
    isFirst = false;
    return append(ref, step);
  };
  await expect(run()).resolves.toMatchObject({ outcome: "IN_DOUBT" });
  expect(results).toEqual(["c1 IN_DOUBT"]);
});

describe("a create whose answer was lost", () => {
  const expired = ownVerdict("REJECTED", "COMMAND_EXPIRED", "late");
  /** @param guards how often the guard allows a call before the command has expired */
  const ended = async (outcomes: readonly Outcome[], guards: number) => {
    let asked = 0;
    const { call } = answers(...outcomes);
    const { run } = bridge({ call, guard: () => (asked++ < guards ? null : expired) });
    return run(create("c1"));
  };

  it.each([
    ["before the next attempt", [lost], 3],
    ["right before the next call", [lost, ok], 5],
    ["after a refusal to take it now", [lost, throttled], 6],
  ] as const)(
    "and that expires %s may have been executed: FAILED, not REJECTED",
    async (_, outcomes, guards) => {
      expect(await ended(outcomes, guards)).toMatchObject({
        outcome: "FAILED",
        error: { code: "ANSWER_LOST" },
      });
    },
  );

  it("and whose next claim comes too late for a call is not told that no call was made", async () => {
    const log = createLog();
    const { deps } = createDeps(log);
    let claims = 0;
    const append: Deps["journal"]["append"] = async (ref, step) => {
      if (step.kind === "claimed" && ++claims > 1) await new Promise((done) => setTimeout(done, 600));
      return deps.journal.append(ref, step);
    };
    const { call } = answers(lost);
    const options = { ...deps.options, beginWithinMs: 300, deadlineMs: 500 };
    const { run } = bridge({ call, journal: { ...deps.journal, append }, options }, log);
    const settled = await run(create("c1"));
    expect(settled).toMatchObject({ outcome: "FAILED", attempts: 1 });
    expect(JSON.stringify(settled)).not.toContain("no call could be started");
  });

  it("is rejected as expired where nothing was sent before, or nothing done", async () => {
    for (const outcomes of [[], [throttled]]) {
      const settled = await ended(outcomes, 3 * outcomes.length);
      expect(settled).toMatchObject({ outcome: "REJECTED", error: { code: "COMMAND_EXPIRED" } });
    }
  });
});
