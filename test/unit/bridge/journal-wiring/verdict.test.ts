import { describe, expect, it } from "vitest";
import { createVerdict } from "../../../../src/bridge/journal-wiring/verdict.ts";
import { silent } from "../../../../src/cli/silent.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A verdict on a topic whose retention is asked for with these answers, and what comes of it. */
const judging = (answers: (number | null | Error)[] = []) => {
  const seen = { trusted: true, asked: 0, pausesMs: [] as number[] };
  const verdict = createVerdict(
    {
      topic: "journal",
      trust: (yes) => void (seen.trusted = yes),
      retentionMs: () => {
        seen.asked += 1;
        const answer = answers.shift() ?? null;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
    {
      clock: { ...systemClock, sleep: (ms) => Promise.resolve(void seen.pausesMs.push(ms)) },
      log: silent,
    },
  );
  return { verdict, seen };
};
const dropped = (ageMs: number) => ({ partition: 2, offset: 7, ageMs });

describe("an entry that is gone", () => {
  it("holds everything up until the retention is known, which is asked for three times", async () => {
    const { verdict, seen } = judging([new Error("no leader"), null, 2 * HOUR_MS]);
    const judged = verdict.judge(dropped(1.5 * HOUR_MS));
    expect([seen.trusted, verdict.isAsking(), verdict.isLost()]).toEqual([false, true, false]);
    await judged;
    expect([seen.trusted, verdict.isAsking(), verdict.fault()]).toEqual([true, false, null]);
    expect(seen).toMatchObject({ asked: 3, pausesMs: [1_000, 1_000] });
  });

  it("is the loss of the journal when nobody says how long it is kept", async () => {
    const { verdict, seen } = judging();
    await verdict.judge(dropped(1_000));
    expect([seen.trusted, seen.asked, verdict.isLost()]).toEqual([false, 3, true]);
    expect(verdict.fault()).toContain("dropped offset 7 of partition 2, which was 1 s old");
  });

  it.each([
    ["at most a day", 7 * DAY_MS, DAY_MS],
    ["half of the retention", 4 * HOUR_MS, 2 * HOUR_MS],
    ["a day where it is kept for ever", -1, DAY_MS],
    ["a day where it is kept so shortly that it was emptied", HOUR_MS - 1, DAY_MS],
  ])("is gone by right from this age on: %s", async (_, retentionMs, horizonMs) => {
    const old = judging([retentionMs]);
    await old.verdict.judge(dropped(horizonMs));
    expect([old.verdict.isLost(), old.verdict.horizonMs()]).toEqual([false, horizonMs]);
    const young = judging([retentionMs]);
    await young.verdict.judge(dropped(horizonMs - 1));
    expect([young.verdict.isLost(), young.seen.trusted]).toEqual([true, false]);
  });
});

describe("an end that is missing", () => {
  it("counts only in three looks one after the other", () => {
    const { verdict, seen } = judging();
    for (const behind of ["ends early", "ends early", null, "ends early", "ends early"])
      verdict.sawEnd(behind);
    expect([seen.trusted, verdict.fault()]).toEqual([true, null]);
    verdict.sawEnd("ends early");
    expect([seen.trusted, verdict.isLost()]).toEqual([false, false]);
    expect(verdict.fault()).toContain("journal ends early");
    verdict.sawEnd(null);
    expect([seen.trusted, verdict.fault()]).toEqual([true, null]);
  });

  it("that is found again mends no loss", () => {
    const { verdict, seen } = judging();
    for (const behind of ["ends early", "ends early", "ends early"]) verdict.sawEnd(behind);
    verdict.lose("is another one");
    verdict.sawEnd(null);
    expect(seen.trusted).toBe(false);
    expect(verdict.fault()).toContain("journal is another one");
  });
});
