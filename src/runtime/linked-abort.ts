/**
 * A controller whose signal also aborts when one of these does. Its listeners are gone once it has aborted, so it must be aborted in the end.
 * (`AbortSignal.any` leaks on Node.js 20 where one of them lives as long as the process.)
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
