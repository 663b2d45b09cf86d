import { expect, test } from "vitest";
import { members } from "../../../src/runtime/json.ts";
import { parseBody as parsed } from "../../../src/notification/notification.ts";
import { translate } from "../../../src/notification/translate.ts";
import { hostileCorpus, hugeCorpus } from "../../support/hostile-corpus.ts";
import { randomFrom } from "../../support/random.ts";

test.each(hostileCorpus)("$name", ({ body, becomes }) => {
  const bytes = body();
  const result = parsed(bytes);
  expect(result.ok ? { ...result.notification } : null).toEqual(
    becomes === null ? null : { ...becomes, payload: bytes.toString("utf8").replace(/^\ufeff/, "") },
  );
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  if (!result.ok) return;
  const known = { direction: "UNKNOWN", latestOccurredAt: null } as const;
  const event = translate(result.notification, {
    receivedAt: 0,
    source: "WEBHOOK",
    facts: known,
    mask: (payload) => payload,
    eventFields: [],
  });
  expect(event.eventId).toMatch(/^[0-9a-f]{32}$/);
  expect(event).toMatchObject({ ...result.notification, stage: "UNKNOWN", outOfOrder: false });
});

// In proportion: the test would time out if any of them took time that grows with the square of the length.
test.each(hugeCorpus)("$name", ({ body, becomes }) => {
  const result = parsed(body());
  expect(result.ok ? result.notification.createdAt === becomes?.createdAt : becomes).toBe(
    becomes === null ? null : true,
  );
});

test("what is not understood is told without repeating any of it", () => {
  expect(parsed(Buffer.from('{"transactionId":"s3cret"}'))).toEqual({
    ok: false,
    detail: "status is not a string",
  });
  expect(parsed(Buffer.from("s3cret"))).toEqual({
    ok: false,
    detail: "the notification is not a JSON object",
  });
});

/** What JSON.parse makes of a text, or null where it is not an object. */
const reference = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
};

const rebuilt = (text: string): unknown => {
  const all = members(text);
  return all && Object.fromEntries(all.map(({ key, raw }) => [key, JSON.parse(raw) as unknown]));
};

test("twenty thousand mutated texts are objects exactly where JSON.parse says so, with the same members", () => {
  const seeds = hostileCorpus.map(({ body }) => body().toString("utf8")).filter((text) => text.length < 200);
  const alphabet = [
    ...Array.from('{}[]",:\\ \n0123-+.eEtrufalsn\0\u00e9'),
    ...["null", "true", '"x":1', "\\u00e9", "{}", "1e5"],
  ];
  const random = randomFrom(20_261_121);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  let objects = 0;
  for (let round = 0; round < 20_000; round++) {
    let text = pick(seeds);
    for (let edits = Math.floor(random() * 4); edits > 0; edits--) {
      const at = Math.floor(random() * (text.length + 1));
      text =
        text.slice(0, at) +
        (random() < 0.6 ? pick(alphabet) : "") +
        text.slice(at + Math.floor(random() * 3));
    }
    const expected = reference(text);
    if (expected !== null) objects++;
    expect(rebuilt(text), JSON.stringify(text)).toEqual(expected);
  }
  // The comparison means something only where both kinds occur.
  expect(objects).toBeGreaterThan(2_000);
  expect(objects).toBeLessThan(18_000);
});
