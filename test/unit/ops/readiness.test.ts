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

const whys = { why: "throttled", sinceMs, untilMs: sinceMs + 1_000 } as const;

/** Of each kind: an example, what makes /readyz 503, whether it counts as up and keeps its commands. */
const rows: readonly (readonly [Health, string, string])[] = [
  [{ kind: "up" }, "", "up keeps"],
  [{ kind: "somePartitions", ...ofTopic }, "", "up keeps"],
  [{ kind: "unreadPartitions", ...ofTopic }, "", "down leaves"],
  [{ kind: "allPartitions", topic: "t", troubles: [] }, "webhooks commands", "down leaves"],
  [{ kind: "starting" }, ALL, "down leaves"],
  [{ kind: "waiting", cause: "no topic t" }, ALL, "down leaves"],
  [{ kind: "stopping" }, ALL, "down leaves"],
  [{ kind: "reading", left: 7 }, ALL, "down leaves"],
  [{ kind: "disconnected", cause: "refused", sinceMs }, ALL, "down leaves"],
  [{ kind: "schemaUnknown", cause: "no answer" }, "commands", "down leaves"],
  [{ kind: "halted", topic: "j", partition: 1, offset: 9, cause: "x" }, "commands", "down leaves"],
  [{ kind: "lost", topic: "j", cause: "has no partition 1 any more" }, "commands", "down leaves"],
  [{ kind: "missing", topic: "j", cause: "ends before offset 3" }, "commands", "down leaves"],
  [{ kind: "unfit", cause: "Topic j is compacted." }, "commands", "down keeps"],
  [{ kind: "partnerFails", ...whys }, "", "down keeps"],
  [{ kind: "acceptsHeld", ...whys }, "", "down keeps"],
  [{ kind: "doubtOpen", sinceMs }, "", "down keeps"],
  [{ kind: "rateUsedUp", sinceMs, untilMs: sinceMs + 7_000 }, "", "up keeps"],
];

test("every kind has its row", () => {
  expect(rows.map(([{ kind }]) => kind).sort()).toEqual(Object.keys(RULES).sort());
});

test.each(rows)("%j makes unready: %s; status and share: %s", (health, unready, effects) => {
  const [status, share] = effects.split(" ");
  const of = (serves: Traffic | null) => readinessOf({ it: { health, serves } });
  const traffic = (["webhooks", "commands", "pauses"] as const).filter(
    (each) => of(each).status === "unready",
  );
  expect(traffic.join(" ")).toBe(unready);
  const detail = sentenceOf(health);
  expect(of(null)).toEqual({ status: "ready", components: { it: { status, detail } } });
  expect(RULES[health.kind].keepsShare).toBe(share === "keeps");
});

test.each<[Health, string]>([
  [
    { kind: "somePartitions", ...ofTopic },
    "works, but for partitions 4 of t: partition 2 has no leader; partition 4 fails (NOT_ENOUGH_REPLICAS); " +
      "the batch at offset 17 of partition 5 cannot be read (too many records): see " +
      '"A batch that cannot be read" in docs/failures.md; 1 more',
  ],
  [{ kind: "allPartitions", topic: "t", troubles: [] }, "all partitions are in trouble, 0 of t"],
  [{ kind: "reading", left: 7 }, "still reading, 7 offsets to go"],
  [
    { kind: "partnerFails", ...whys },
    "since 2026-11-27T00:00:00.000Z it answers 429: it is called too often, until 2026-11-27T00:00:01.000Z by " +
      "its own word",
  ],
])("people read of %j: %s", (health, sentence) => {
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
