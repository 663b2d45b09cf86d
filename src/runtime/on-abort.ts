const HUB = Symbol("listeners");
type Hub = { listeners: Set<() => void>; callAll: () => void };
/** On the signal itself: a WeakMap of signals that live for one command each costs several times as much. */
type Known = AbortSignal & { [HUB]?: Hub | undefined };

/**
 * Calls `listener` when the signal aborts, in the order of registration. Returns how to remove it again. A signal that
 * thousands wait with must not have a listener for each: an EventTarget looks through all of them for every new one.
 */
export const onAbort = (signal: Known, listener: () => void): (() => void) => {
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
