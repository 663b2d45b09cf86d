import type { Config } from "../../config/config.ts";
import { createReread } from "../../kafka/consume/reread.ts";
import type { Sent } from "../../operator/replay/claims.ts";
import { refOf, type DeadLetter, type Place } from "../../operator/replay/dead-letter.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import type { Kit } from "../kit.ts";
import { openClaims } from "./claims-topic.ts";
import { eachLetter, lettersAt, loadLetter, type LoadedLetter, type Selection } from "./letters.ts";

export type LetterViews = {
  each: (selection: Selection, see: (letter: DeadLetter) => void) => Promise<void>;
  /** Null where there is no such letter. `loaded` is null while not all its parts are there. */
  show: (place: Place) => Promise<{ letter: DeadLetter; loaded: LoadedLetter | null } | null>;
  /** When it was sent again; null where that is not known. */
  sent: (letter: DeadLetter) => readonly Sent[] | null;
  close: () => Promise<void>;
};

/** The dead letters, for people to look at. `warn` hears when it is not known which were replayed. */
export const viewLetters = async (
  config: Config,
  kit: Kit,
  warn: (sentence: string) => void,
  signal: AbortSignal,
): Promise<LetterViews> => {
  const topic = config.topics.deadLetters;
  const cluster = await kit.connectCluster();
  if (!(await cluster.find([topic])).has(topic)) {
    await cluster.close();
    throw new UsageError(`Topic ${topic} does not exist: run \`cambio-bridge setup\`.`);
  }
  const deps = { config, kit, cluster, signal };
  const claims = await openClaims(deps).catch(async (error: unknown) => {
    if (signal.aborted) {
      await cluster.close();
      throw error;
    }
    warn(`Which of them were replayed is not known: ${messageOf(error)}`);
    return null;
  });
  const { reread, stop } = createReread(
    { topic, groupId: kit.ownGroup("letters"), sessionTimeoutMs: config.kafka.sessionTimeoutMs },
    kit,
  );
  return {
    each: (selection, see) => eachLetter(deps, selection, see),
    show: async (place) => {
      const [letter] = await lettersAt(deps, [place]);
      return letter
        ? { letter, loaded: letter.missing === null ? await loadLetter(reread, letter) : null }
        : null;
    },
    sent: ({ place }) => claims?.claims.sent(refOf(place)) ?? null,
    close: async () => {
      await Promise.all([stop(), claims?.close()]);
      await cluster.close();
    },
  };
};
