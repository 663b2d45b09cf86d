// A topic that is kept for a short time deletes records that nobody has read yet.
import type { FoundTopic } from "./cluster.ts";
import type { TopicNames } from "./topics.ts";

const DAY_MS = 86_400_000;

const LOST = {
  commands: "commands that waited longer, such as over a pause or an outage, get no result",
  results: "senders that were away longer never see their results",
  deadLetters: "dead letters may be gone before anybody looks at them",
} satisfies Partial<Record<keyof TopicNames, string>>;

/** Sentences about those of these topics that keep records for less than a day. Others have rules of their own. */
export const shortRetention = (
  used: readonly (keyof TopicNames)[],
  names: TopicNames,
  found: ReadonlyMap<string, FoundTopic>,
): string[] =>
  (Object.keys(LOST) as (keyof typeof LOST)[])
    .filter((role) => used.includes(role))
    .flatMap((role) => {
      const keptMs = Number(found.get(names[role])?.config["retention.ms"] ?? -1);
      return keptMs < 0 || keptMs >= DAY_MS
        ? []
        : [
            `Topic ${names[role]} keeps records for less than a day, so that ${LOST[role]}: set retention.ms=${DAY_MS} or more.`,
          ];
    });
