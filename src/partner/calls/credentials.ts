import type { Clock } from "../../runtime/clock.ts";

export type Credentials = { accessToken: string; xToken: string };

/** Where the credentials come from. */
export type CredentialSource = {
  /** The ones to use now. Never throws. */
  current: () => Credentials;
  /** Reads them again, after the partner refused them. */
  reload: () => Promise<void>;
};

/** Reading a file takes no longer, unless something is wrong with it. */
const RELOAD_TIMEOUT_MS = 5_000;

/**
 * Reads the credentials again after a 401, once for all calls that were refused with the same ones.
 * @param refused the credentials that were refused; when others are current by now, nothing is to be done
 * @returns never rejects: what cannot be read again stays as it is
 */
export const reloaderFor = ({
  source,
  clock,
}: {
  source: CredentialSource;
  clock: Clock;
}): ((refused: Credentials) => Promise<void>) => {
  let underWay: Promise<void> | null = null;
  return async (refused) => {
    const { accessToken, xToken } = source.current();
    if (accessToken !== refused.accessToken || xToken !== refused.xToken) return;
    underWay ??= clock
      .withDeadline(RELOAD_TIMEOUT_MS, undefined, () => source.reload())
      .catch(() => undefined)
      .finally(() => {
        underWay = null;
      });
    await underWay;
  };
};
