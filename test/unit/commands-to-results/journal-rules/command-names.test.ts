import { expect, it } from "vitest";
import { createCommandNames } from "../../../../src/commands-to-results/journal-rules/command-names.ts";
import { accept } from "./journal.ts";

const job = (commandId: string, key: string) => ({ ref: accept(commandId, key) });

it("lets one command at a time begin under a commandId, however often that one comes", () => {
  const names = createCommandNames();
  const [first, again, other] = [job("c", "q1"), job("c", "q1"), job("c", "q2")];
  expect(names.take(first)).toBe(true);
  expect(names.take(first)).toBe(true);
  expect(names.take(again)).toBe(true);
  expect(names.take(other)).toBe(false);
  expect(names.take(job("d", "q2"))).toBe(true);
  names.giveBack(other);
  names.giveBack(first);
  expect(names.take(other)).toBe(false);
  names.giveBack(again);
  expect(names.take(other)).toBe(true);
});
