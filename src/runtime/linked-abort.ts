import { onAbort } from "./on-abort.ts";

/**
 * A controller that also aborts when one of the signals does. Abort it when the work is done: that removes
 * its listeners. (`AbortSignal.any` leaks, also on Node.js 24, when one of the signals lives as long as the
 * process.)
 */
export const linkedAbortController = (...signals: readonly AbortSignal[]): AbortController => {
  const controller = new AbortController();
  const forgets: (() => void)[] = [];
  controller.signal.addEventListener("abort", () => forgets.forEach((forget) => forget()), { once: true });
  for (const signal of signals) {
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else if (!controller.signal.aborted) forgets.push(onAbort(signal, abort));
  }
  return controller;
};
