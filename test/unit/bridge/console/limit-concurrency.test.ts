import { expect, test } from "vitest";
import { limitConcurrency } from "../../../../src/bridge/console/limit-concurrency.ts";

test("a few at once, some wait, and more are refused; an abort ends the wait", async () => {
  const limited = limitConcurrency(2, 2);
  const { signal } = new AbortController();
  const ends: (() => void)[] = [];
  const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const first = [limited(signal, work), limited(signal, work)];
  const gone = new AbortController();
  const third = limited(gone.signal, work);
  const fourth = limited(signal, work);
  await expect(limited(signal, work)).rejects.toThrow("Too many pages are being read");
  gone.abort(new Error("gone"));
  await expect(third).rejects.toThrow("gone");
  expect(ends).toHaveLength(2);
  ends[0]!();
  await first[0];
  await Promise.resolve();
  expect(ends).toHaveLength(3);
  ends.forEach((end) => end());
  await Promise.all([...first, fourth]);
  await expect(limited(signal, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await expect(limited(signal, () => Promise.resolve("next"))).resolves.toBe("next");
});
