const HUB = Symbol("listeners");
type Hub = { listeners: Set<() => void>; callAll: () => void };
/** The hub is a member of the signal: a WeakMap of signals that live for one command each costs several times more. */
type HubSignal = AbortSignal & { [HUB]?: Hub | undefined };

/** Returns how to remove the listener. An EventTarget looks through all listeners for each new one: it gets one hub. */
export const onAbort = (signal: HubSignal, listener: () => void): (() => void) => {
  let hub = signal[HUB];
  if (!hub) {
    const listeners = new Set<() => void>();
    hub = signal[HUB] = { listeners, callAll: () => listeners.forEach((each) => each()) };
    signal.addEventListener("abort", hub.callAll, { once: true });
  }
  const { listeners, callAll } = hub;
  listeners.add(listener);
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    signal[HUB] = undefined;
    signal.removeEventListener("abort", callAll);
  };
};

/** Abort the controller after the work, to remove its listeners. `AbortSignal.any` leaks if a signal lives long. */
export const linkedAbortController = (...signals: readonly AbortSignal[]): AbortController => {
  const controller = new AbortController();
  const removers: (() => void)[] = [];
  controller.signal.addEventListener("abort", () => removers.forEach((remove) => remove()), { once: true });
  for (const signal of signals) {
    const abort = (): void => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else if (!controller.signal.aborted) removers.push(onAbort(signal, abort));
  }
  return controller;
};

export const reasonOfAbort = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));

/**
 * Waits until `wake` is called; rejects with the signal's reason if that aborts first. Leaves no listener behind.
 * @param begin stores how to end the wait, and returns how to undo what it began, which is called at the end
 */
export const wakeOrAbort = <T = void>(
  signal: AbortSignal | undefined,
  begin: (wake: (value: T) => void, fail: (reason: Error) => void) => () => void,
): Promise<T> =>
  new Promise((resolve, reject) => {
    let forget = (): void => undefined;
    const ending =
      <V>(settle: (value: V) => void) =>
      (value: V): void => {
        undo();
        forget();
        settle(value);
      };
    const undo = begin(ending(resolve), ending(reject));
    if (!signal) return;
    const stop = (): void => ending(reject)(reasonOfAbort(signal));
    if (signal.aborted) stop();
    else forget = onAbort(signal, stop);
  });
