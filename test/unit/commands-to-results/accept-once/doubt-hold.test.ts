import { expect, it } from "vitest";
import { createDoubtHold } from "../../../../src/commands-to-results/accept-once/doubt-hold.ts";
import { accept, claimed, concluded, createLog } from "./journal.ts";

const c1 = accept("c1");

it("holds accepts from the end of the call until the doubt is resolved, whoever writes the doubt", () => {
  const log = createLog();
  const hold = createDoubtHold(log.view, true);
  log.append(c1, claimed("a1"));
  expect(hold.isHeld()).toBe(false);
  // This replica loses the partition now, so it never writes what it found out.
  hold.add(c1, "a1");
  expect(hold.isHeld()).toBe(true);
  log.append(c1, concluded("a1", "IN_DOUBT"));
  expect(hold.isHeld()).toBe(true);
  log.append(c1, concluded(null, "SUCCEEDED"));
  expect(hold.isHeld()).toBe(false);
});
