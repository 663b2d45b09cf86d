import { expect, test } from "vitest";
import { cohort } from "../../../src/runtime/cohort.ts";
import { polled } from "../../../src/runtime/turn.ts";

test("what comes in one turn is done when it is over, all together and in order", async () => {
  const done: string[] = [];
  const add = cohort<string>((item) => {
    done.push(item);
    // What comes while they are done is of the next turn.
    if (item === "b") add("d");
  });
  const seen: string[][] = [];
  add("a");
  setImmediate(() => seen.push([...done]));
  await Promise.resolve();
  add("b");
  add("c");
  expect(done).toEqual([]);
  await polled();
  expect(done).toEqual(["a", "b", "c"]);
  await polled();
  expect(done).toEqual(["a", "b", "c", "d"]);
  expect(seen).toEqual([["a", "b", "c"]]);
});

test("a later turn is like the first", async () => {
  const done: number[] = [];
  const add = cohort<number>((item) => void done.push(item));
  for (const item of [1, 2, 3]) {
    add(item);
    await polled();
    expect(done).toHaveLength(item);
  }
});
