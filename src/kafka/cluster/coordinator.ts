import type { Clock } from "../../runtime/clock.ts";
import { protocolErrorOf } from "../errors.ts";

const TRIES = 6;
const AGAIN_AFTER_MS = 400;

/** Asks a group's coordinator again for two seconds: a new cluster has none at first, or one that is loading. */
export const askCoordinator = async <T>(clock: Pick<Clock, "sleep">, ask: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES || !/COORDINATOR/.test(protocolErrorOf(error))) throw error;
      await clock.sleep(AGAIN_AFTER_MS);
    }
  }
};
