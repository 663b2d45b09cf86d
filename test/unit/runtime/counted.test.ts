import { expect, test } from "vitest";
import { counted } from "../../../src/runtime/counted.ts";

test("one is singular, everything else plural", () => {
  expect([0, 1, 2].map((count) => counted(count, "replica"))).toEqual([
    "0 replicas",
    "1 replica",
    "2 replicas",
  ]);
});
