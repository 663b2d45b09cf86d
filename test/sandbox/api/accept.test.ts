import { expect, test } from "vitest";
import { manualClock } from "../manual-clock.ts";
import { openSandbox } from "../open.ts";

const morning = Date.parse("2026-11-21T12:00:00Z");
const minuteMs = 60_000;

const executions = (client: Awaited<ReturnType<typeof openSandbox>>) =>
  client.control<{ executions: number; repetitions: number; executedTwice: unknown[] }>("GET", "executions");

test("a second accept is a conflict by default, and is counted but not executed", async () => {
  const client = await openSandbox();
  const quoteId = await client.createdId();
  expect((await client.accept(quoteId)).status).toBe(200);
  expect((await client.accept(quoteId)).status).toBe(409);
  expect(await executions(client)).toMatchObject({ executions: 1, repetitions: 1, executedTwice: [] });
});

test.each([
  ["same", 1],
  ["again", 2],
] as const)("policy %s: the second accept leaves %i executions", async (repetition, expected) => {
  const client = await openSandbox({ repetition, clock: manualClock(morning) });
  const quoteId = await client.createdId();
  const first = await client.accept(quoteId);
  const second = await client.accept(quoteId);
  if (repetition === "same") expect(second.json).toEqual(first.json);
  expect(await executions(client)).toMatchObject({
    ...{ executions: expected, repetitions: 1 },
    executedTwice: expected === 2 ? [{ quoteId, executions: 2 }] : [],
  });
});

test("a quote can be accepted until its validity, divided by the time scale, has passed", async () => {
  const clock = manualClock(morning);
  const client = await openSandbox({ clock, quoteValidityMs: 20 * minuteMs, timeScale: 2 });
  const [early, late] = [await client.createdId(), await client.createdId()];
  clock.advance(10 * minuteMs - 1);
  expect((await client.accept(early)).status).toBe(200);
  clock.advance(1);
  const refused = await client.accept(late);
  expect(refused.status).toBe(422);
  expect(refused.json).toMatchObject({ error: { code: "QUOTE_EXPIRED" } });
  expect(await client.control("GET", `executions/${late}`)).toMatchObject({ executions: 0 });
});

test("a quote cannot be accepted on São Paulo's next day, even within its validity", async () => {
  // 23:59 in São Paulo is 02:59 UTC of the next day.
  const clock = manualClock(Date.parse("2026-11-22T02:59:00Z"));
  const client = await openSandbox({ clock, quoteValidityMs: 60 * minuteMs });
  const [today, tomorrow] = [await client.createdId(), await client.createdId()];
  clock.advance(minuteMs - 1);
  expect((await client.accept(today)).status).toBe(200);
  clock.advance(1);
  expect((await client.accept(tomorrow)).json).toMatchObject({ error: { code: "QUOTE_NOT_OF_TODAY" } });
});

test("an unknown quote is refused, or executed where that was chosen", async () => {
  const strict = await openSandbox();
  expect((await strict.accept("never-made")).status).toBe(404);
  expect(await executions(strict)).toMatchObject({ executions: 0 });
  const lenient = await openSandbox({ acceptUnknownQuotes: true });
  expect((await lenient.accept("never-made")).status).toBe(200);
  expect((await lenient.accept("never-made")).status).toBe(409);
  expect(await executions(lenient)).toMatchObject({ executions: 1, repetitions: 1 });
});

test("a UUID is one quote in either case", async () => {
  const client = await openSandbox();
  const quoteId = await client.createdId();
  expect((await client.accept(quoteId.toUpperCase())).status).toBe(200);
  expect((await client.accept(quoteId)).status).toBe(409);
  expect(await executions(client)).toMatchObject({ executions: 1, quotes: 1, repetitions: 1 });
});
