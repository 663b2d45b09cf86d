import { expect, test } from "vitest";
import { keyOrder } from "../../../../src/kafka/consume/key-order.ts";
import { eventually } from "../../../support/eventually.ts";
import { randomFrom } from "../../../support/random.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await turn();
};

test("any number of tasks may leave their slots as soon as they start", async () => {
  const COUNT = 20_000;
  const order = keyOrder(1);
  let begun = 0;
  // They all wait for this one.
  order.submit(null, turn);
  for (let nth = 0; nth < COUNT; nth++)
    order.submit(null, (place) => {
      begun += 1;
      place.leave();
      return Promise.resolve();
    });
  await eventually(() => order.unfinished === 0, "all to finish");
  expect(begun).toBe(COUNT);
});

test("random interleavings keep the order by key and the limit, and end", async () => {
  for (let seed = 0; seed < 40; seed++) {
    const random = randomFrom(seed);
    const maxRunning = 1 + Math.floor(random() * 4);
    const order = keyOrder(maxRunning);
    const done = new Map<string, number[]>();
    const active = new Set<string>();
    let inside = 0;
    const submitted = new Map<string, number[]>();
    for (let i = 0; i < 120; i++) {
      const key = random() < 0.15 ? null : `k${Math.floor(random() * 6)}`;
      if (key !== null) submitted.set(key, [...(submitted.get(key) ?? []), i]);
      order.submit(key, async (place) => {
        if (key !== null) {
          expect(active.has(key), "one task of a key at a time").toBe(false);
          active.add(key);
        }
        inside += 1;
        expect(inside).toBeLessThanOrEqual(maxRunning);
        await turns(Math.floor(random() * 3));
        if (random() < 0.4) {
          const signal = new AbortController();
          inside -= 1;
          place.leave();
          await turns(Math.floor(random() * 4));
          if (random() < 0.5) setImmediate(() => signal.abort(new Error("lost")));
          const came = await place.take(signal.signal).then(
            () => true,
            () => false,
          );
          if (came) inside += 1;
          expect(inside).toBeLessThanOrEqual(maxRunning);
          await turns(Math.floor(random() * 2));
          if (came) inside -= 1;
        } else inside -= 1;
        if (key !== null) {
          done.set(key, [...(done.get(key) ?? []), i]);
          active.delete(key);
        }
      });
      if (random() < 0.3) await turn();
    }
    await eventually(() => order.unfinished === 0, `everything to end (seed ${seed})`);
    expect(done, `seed ${seed}`).toEqual(submitted);
    expect(order.running).toBe(0);
  }
});
