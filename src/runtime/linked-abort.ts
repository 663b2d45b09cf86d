/**
 * A controller that also aborts when one of the signals does. Abort it when the work is done: that removes
 * its listeners. (`AbortSignal.any` leaks, also on Node.js 24, when one of the signals lives as long as the
 * process.)
 */
export const linkedAbortController = (...signals: readonly AbortSignal[]): AbortController => {
  const controller = new AbortController();
  const links = signals.map((signal) => ({ signal, abort: () => controller.abort(signal.reason) }));
  const unlink = (): void => {
    for (const { signal, abort } of links) signal.removeEventListener("abort", abort);
  };
  controller.signal.addEventListener("abort", unlink, { once: true });
  for (const { signal, abort } of links) {
    if (signal.aborted) abort();
    else if (!controller.signal.aborted) signal.addEventListener("abort", abort, { once: true });
  }
  return controller;
};
