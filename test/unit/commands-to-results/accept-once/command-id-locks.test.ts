import { expect, it } from "vitest";
import { createCommandIdLocks } from "../../../../src/commands-to-results/accept-once/command-id-locks.ts";
import { accept } from "./journal.ts";

const job = (commandId: string, key: string) => ({ ref: accept(commandId, key) });

it("lets one command at a time begin under a commandId, however often that one comes", () => {
  const locks = createCommandIdLocks();
  const [first, again, other] = [job("c", "q1"), job("c", "q1"), job("c", "q2")];
  expect(locks.acquire(first)).toBe(true);
  expect(locks.acquire(first)).toBe(true);
  expect(locks.acquire(again)).toBe(true);
  expect(locks.acquire(other)).toBe(false);
  expect(locks.acquire(job("d", "q2"))).toBe(true);
  locks.release(other);
  locks.release(first);
  expect(locks.acquire(other)).toBe(false);
  locks.release(again);
  expect(locks.acquire(other)).toBe(true);
});
