import { expect, test } from "vitest";
import { someAtOnce } from "../../../../src/bridge/console/limit-concurrency.ts";

test("a few at once, some wait, and more are refused; whoever goes away waits no longer", async () => {
  const inTurn = someAtOnce(2, 2);
  const { signal } = new AbortController();
  const ends: (() => void)[] = [];
  const work = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const first = [inTurn(signal, work), inTurn(signal, work)];
  const gone = new AbortController();
  const third = inTurn(gone.signal, work);
  const fourth = inTurn(signal, work);
  await expect(inTurn(signal, work)).rejects.toThrow("Too much is being read");
  gone.abort(new Error("gone"));
  await expect(third).rejects.toThrow("gone");
  expect(ends).toHaveLength(2);
  ends[0]!();
  await first[0];
  await Promise.resolve();
  expect(ends).toHaveLength(3);
  ends.forEach((end) => end());
  await Promise.all([...first, fourth]);
  await expect(inTurn(signal, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await expect(inTurn(signal, () => Promise.resolve("next"))).resolves.toBe("next");
});
