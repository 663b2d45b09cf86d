import { expect, test } from "vitest";
import { watchPartner } from "../../../../src/commands-to-results/wire/partner-health.ts";
import { systemClock } from "../../../../src/runtime/clock.ts";
import type { Log } from "../../../../src/runtime/log.ts";
import { ACCEPT, free } from "../../partner/hostile-server.ts";

test("all that holds accepts back is told, not only the worst of it", async () => {
  const log = { warn: () => undefined, info: () => undefined } as unknown as Log;
  const sinceMs = systemClock.now();
  let doubtSinceMs: number | null = sinceMs;
  const watch = watchPartner({
    clock: systemClock,
    log,
    backlog: () => null,
    doubtSinceMs: () => doubtSinceMs,
  });
  expect(watch.noteAfter(null)).toBeNull();
  expect(watch.component()).toEqual({ health: { kind: "doubtOpen", sinceMs }, serves: null });

  const answer = { httpStatus: 401, body: "", retryAfterMs: null };
  await watch.watched(() => Promise.resolve({ kind: "unauthorized", answer }))(ACCEPT, free());
  expect(watch.component()).toMatchObject({
    health: { kind: "doubtOpen" },
    note: expect.stringContaining("401") as string,
  });
  expect(watch.noteAfter("journal:x")).toMatch(
    /^journal:x partner:doubtOpen,\S+ partner:partnerFails,unauthorized,\S+$/,
  );

  doubtSinceMs = null;
  expect(watch.component()).toMatchObject({ health: { kind: "partnerFails", why: "unauthorized" } });
  expect(watch.component()).not.toHaveProperty("note");
});
