import { onAbort } from "./on-abort.ts";

/**
 * Resolves when `wake` is called; rejects with the signal's reason if that aborts first. Leaves no listener
 * behind.
 * @param register stores `wake`, to be called later, and returns how to remove it
 */
export const wakeOrAbort = (signal: AbortSignal, register: (wake: () => void) => () => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      release();
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    };
    let forget = (): void => undefined;
    const release = register(() => {
      forget();
      resolve();
    });
    if (signal.aborted) stop();
    else forget = onAbort(signal, stop);
  });
