import { expect, test } from "vitest";
import { randomFrom } from "../../../../src/sandbox/runtime/random.ts";
import { createScheduler } from "../../../../src/sandbox/runtime/scheduler.ts";
import { manualClock } from "../manual-clock.ts";

test("tasks run in the order of their due times, and of their planning where those are equal", () => {
  const clock = manualClock(0);
  const scheduler = createScheduler(clock);
  const random = randomFrom("scheduler", "due times");
  const planned = Array.from({ length: 500 }, (_, nth) => ({ nth, dueAt: Math.floor(random() * 100) }));
  const ran: { nth: number; dueAt: number }[] = [];
  for (const task of planned) scheduler.at(task.dueAt, () => ran.push(task));
  clock.advance(49);
  expect(ran.every(({ dueAt }) => dueAt <= 49)).toBe(true);
  expect(ran).toHaveLength(planned.filter(({ dueAt }) => dueAt <= 49).length);
  clock.advance(51);
  expect(ran).toEqual([...planned].sort((a, b) => a.dueAt - b.dueAt || a.nth - b.nth));
});

test("a task may plan another one, earlier than those that wait", () => {
  const clock = manualClock(0);
  const scheduler = createScheduler(clock);
  const ran: string[] = [];
  scheduler.at(10, () => {
    ran.push("first");
    scheduler.at(20, () => ran.push("second"));
  });
  scheduler.at(30, () => ran.push("third"));
  clock.advance(30);
  expect(ran).toEqual(["first", "second", "third"]);
});

test("a task far beyond what a timer can hold runs on time", () => {
  const clock = manualClock(0);
  const scheduler = createScheduler(clock);
  const monthMs = 30 * 86_400_000;
  let ran = false;
  scheduler.at(monthMs, () => (ran = true));
  clock.advance(monthMs - 1);
  expect(ran).toBe(false);
  clock.advance(1);
  expect(ran).toBe(true);
});

test("what was cleared never runs, and a closed scheduler plans nothing", () => {
  const clock = manualClock(0);
  const scheduler = createScheduler(clock);
  const ran: string[] = [];
  scheduler.at(1, () => ran.push("cleared"));
  scheduler.clear();
  scheduler.at(2, () => ran.push("kept"));
  clock.advance(2);
  scheduler.close();
  scheduler.at(3, () => ran.push("too late"));
  clock.advance(10);
  expect(ran).toEqual(["kept"]);
});
