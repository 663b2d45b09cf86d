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

/** Abort or unlink it after the work, to remove its listeners. `AbortSignal.any` leaks if a signal lives long. */
export const linkedAbortController = (...signals: readonly AbortSignal[]) => {
  const controller = new AbortController();
  const { signal } = controller;
  const removers: (() => void)[] = [];
  const unlink = (): void => removers.forEach((remove) => remove());
  const abort = (reason?: unknown): void => {
    unlink();
    controller.abort(reason);
  };
  for (const other of signals) {
    const follow = (): void => abort(other.reason);
    if (other.aborted) follow();
    else if (!signal.aborted) removers.push(onAbort(other, follow));
  }
  return { signal, abort, unlink };
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
