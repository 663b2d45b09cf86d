import { expect, test } from "vitest";
import { readinessOf } from "../../../src/ops/management.ts";
import { RULES, sentenceOf, type Health, type Traffic } from "../../../src/runtime/health.ts";

const troubles = [
  { partition: 2, kind: "noLeader" },
  { partition: 4, kind: "failing", cause: "NOT_ENOUGH_REPLICAS" },
  { partition: 5, kind: "unreadableBatch", offset: 17, cause: "too many records" },
  { partition: 6, kind: "noLeader" },
] as const;
const ofTopic = { topic: "t", troubles };
const sinceMs = Date.UTC(2026, 10, 27);
const ALL = "webhooks commands pauses";

/** Of each kind: an example, what makes /readyz 503, whether it counts as up and keeps its commands. */
const rows: readonly (readonly [Health, string, string, string])[] = [
  [{ kind: "up" }, "", "up keeps", "works"],
  [
    { kind: "somePartitions", ...ofTopic },
    "",
    "up keeps",
    "works, but for partitions 4 of t: partition 2 has no leader; partition 4 fails (NOT_ENOUGH_REPLICAS); " +
      "the batch at offset 17 of partition 5 cannot be read (too many records): see " +
      '"A batch that cannot be read" in docs/failures.md; 1 more',
  ],
  [
    { kind: "unreadPartitions", topic: "t", troubles: troubles.slice(0, 1) },
    "",
    "down leaves",
    "read, but for partitions 1 of t: partition 2 has no leader",
  ],
  [
    { kind: "allPartitions", topic: "t", troubles: [] },
    "webhooks commands",
    "down leaves",
    "all partitions are in trouble, 0 of t",
  ],
  [{ kind: "starting" }, ALL, "down leaves", "starting"],
  [{ kind: "waiting", cause: "no topic t" }, ALL, "down leaves", "waiting: no topic t"],
  [{ kind: "stopping" }, ALL, "down leaves", "shutting down"],
  [{ kind: "reading", left: 7 }, ALL, "down leaves", "still reading, 7 offsets to go"],
  [
    { kind: "disconnected", cause: "refused", sinceMs },
    ALL,
    "down leaves",
    "does not work since 2026-11-27T00:00:00.000Z: refused",
  ],
  [
    { kind: "schemaUnknown", cause: "no answer" },
    "commands",
    "down leaves",
    "the schema of the next entry is not known: no answer",
  ],
  [
    { kind: "halted", topic: "j", partition: 1, offset: 9, cause: "another version" },
    "commands",
    "down leaves",
    "holds an entry that this version cannot read, j[1]@9 (another version): see " +
      '"The journal cannot be read" in docs/failures.md',
  ],
  [
    { kind: "lost", topic: "j", cause: "has no partition 1 any more" },
    "commands",
    "down leaves",
    'j has no partition 1 any more: nothing is begun without it, see "The journal is lost" in docs/failures.md',
  ],
  [
    { kind: "missing", topic: "j", cause: "ends before offset 3" },
    "commands",
    "down leaves",
    'j ends before offset 3: nothing is begun without it, see "The journal is lost" in docs/failures.md',
  ],
  [
    { kind: "unfit", cause: "Topic j is compacted." },
    "commands",
    "down keeps",
    "Topic j is compacted. Until then no command is begun.",
  ],
  [
    { kind: "partnerFails", why: "throttled", sinceMs, untilMs: sinceMs + 1_000 },
    "",
    "down keeps",
    "since 2026-11-27T00:00:00.000Z it answers 429: it is called too often, until 2026-11-27T00:00:01.000Z by " +
      "its own word",
  ],
  [
    { kind: "acceptsHeld", why: "silent", sinceMs, untilMs: sinceMs + 30_000 },
    "",
    "down keeps",
    "accepts pause since 2026-11-27T00:00:00.000Z, because calls are sent and not answered; at " +
      "2026-11-27T00:00:30.000Z one is sent as a trial",
  ],
  [
    { kind: "doubtOpen", sinceMs },
    "",
    "down keeps",
    "accepts pause since 2026-11-27T00:00:00.000Z, because one is in doubt and PARTNER_PAUSE_ON_DOUBT is set; they " +
      "go on when `cambio-bridge resolve` has resolved it",
  ],
  [
    { kind: "rateUsedUp", sinceMs, untilMs: sinceMs + 7_000 },
    "",
    "up keeps",
    "since 2026-11-27T00:00:00.000Z calls wait for their turn, because PARTNER_MAX_RPS is used up; those that wait " +
      "now have it by 2026-11-27T00:00:07.000Z",
  ],
];

test("every kind has its row", () => {
  expect(rows.map(([{ kind }]) => kind).sort()).toEqual(Object.keys(RULES).sort());
});

test.each(rows)("%j makes unready: %s; status and share: %s", (health, unready, effects, sentence) => {
  const [status, share] = effects.split(" ");
  const of = (serves: Traffic | null) => readinessOf({ it: { health, serves } });
  const traffic = (["webhooks", "commands", "pauses"] as const).filter(
    (each) => of(each).status === "unready",
  );
  expect(traffic.join(" ")).toBe(unready);
  expect(of(null)).toEqual({ status: "ready", components: { it: { status, detail: sentence } } });
  expect(RULES[health.kind].keepsShare).toBe(share === "keeps");
  expect(sentenceOf(health)).toBe(sentence);
});

test("one component in the way is enough, and a note follows the sentence", () => {
  const components = {
    fine: { health: { kind: "up" }, serves: "webhooks", note: "partitions 0 1" },
    away: { health: { kind: "starting" }, serves: null, note: "partitions none" },
    journal: {
      health: { kind: "halted", topic: "j", partition: 1, offset: 9, cause: "x" },
      serves: "commands",
    },
  } as const;
  const { status, components: said } = readinessOf(components);
  expect(status).toBe("unready");
  expect([said["fine"]?.detail, said["away"]?.detail]).toEqual([
    "partitions 0 1",
    "starting; partitions none",
  ]);
});
