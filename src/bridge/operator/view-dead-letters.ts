import type { Config } from "../../config/config.ts";
import { createReread } from "../../kafka/consume/reread.ts";
import type { Sent } from "../../operator/replay/claims.ts";
import { refOf, type DeadLetter } from "../../operator/replay/dead-letter.ts";
import { messageOf } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import type { Services } from "../services.ts";
import { noSuchTopic } from "../with-cluster.ts";
import { followReplayClaims } from "./follow-replay-claims.ts";
import { eachLetter, lettersAt, loadLetter, type LoadedLetter, type Selection } from "./dead-letters.ts";

export type LetterViews = {
  each: (selection: Selection, see: (letter: DeadLetter) => void) => Promise<void>;
  /** Null if there is no such letter. `loaded` is null if parts are missing. */
  show: (place: RecordPosition) => Promise<{ letter: DeadLetter; loaded: LoadedLetter | null } | null>;
  /** When it was replayed; null if that is not known. */
  sent: (letter: DeadLetter) => readonly Sent[] | null;
  close: () => Promise<void>;
};

/** Dead letters for display. `warn` is called if it is not known which were replayed. */
export const viewDeadLetters = async (
  config: Config,
  services: Services,
  warn: (sentence: string) => void,
  signal: AbortSignal,
): Promise<LetterViews> => {
  const topic = config.topics.deadLetters;
  const cluster = await services.connectCluster();
  if (!(await cluster.find([topic])).has(topic)) {
    await cluster.close();
    throw noSuchTopic(topic);
  }
  const deps = { config, services, cluster, signal };
  const claims = await followReplayClaims(deps).catch(async (error: unknown) => {
    if (signal.aborted) {
      await cluster.close();
      throw error;
    }
    warn(`Which of them were replayed is not known: ${messageOf(error)}`);
    return null;
  });
  const { reread, stop } = createReread(services.ownReader(topic, "letters"), services);
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
