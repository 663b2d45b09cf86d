import { expect, it } from "vitest";
import { patientWriter } from "../../../../src/kafka/schema/registry.ts";

const SCHEMA = '"string"';

/** A registry that comes to know id 7 at an instant of a clock that only sleeping advances. */
const registryThatKnows = (atMs: number, failing = () => false) => {
  let now = 0;
  const asked: number[] = [];
  const writer = (id: number): Promise<string | null> => {
    asked.push(now);
    if (failing()) return Promise.reject(new Error("the registry is down"));
    return Promise.resolve(id === 7 && now >= atMs ? SCHEMA : null);
  };
  const sleep = (ms: number): Promise<void> => {
    const until = now + ms;
    return Promise.resolve().then(() => void (now = Math.max(now, until)));
  };
  return { writer: patientWriter({ writer }, { sleep }), asked };
};

it.each([
  [6_000, SCHEMA, [0, 500, 1_500, 3_500, 7_500]],
  [30_001, null, [0, 500, 1_500, 3_500, 7_500, 15_500, 30_000]],
])("asks again for one known after %i ms, at growing distances, for 30 s", async (atMs, text, times) => {
  const { writer, asked } = registryThatKnows(atMs);
  expect(await writer(7)).toBe(text);
  expect(asked).toEqual(times);
});

it("shares one wait among all who ask for an id, and none between two ids", async () => {
  const { writer, asked } = registryThatKnows(1_000);
  const answers = await Promise.all([writer(7), writer(7), writer(7), writer(8)]);
  expect(answers).toEqual([SCHEMA, SCHEMA, SCHEMA, null]);
  expect(asked.filter((at) => at === 0)).toHaveLength(2);
});

it("does not take an outage for an answer, and forgets it", async () => {
  let down = true;
  const { writer } = registryThatKnows(0, () => down);
  await expect(writer(7)).rejects.toThrow("the registry is down");
  down = false;
  expect(await writer(7)).toBe(SCHEMA);
});
