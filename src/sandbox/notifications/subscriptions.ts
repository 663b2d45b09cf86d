import type { Subscription } from "../types.ts";

export const createSubscriptions = (deps: { now: () => number; nextId: () => string }) => {
  const byUrl = new Map<string, Subscription>();
  return {
    /** Subscribing a URL again changes its events and keeps its id. */
    subscribe: (url: string, events: readonly string[]): Subscription => {
      const known = byUrl.get(url);
      if (known) {
        known.events = [...events];
        return known;
      }
      const subscription = { subscriptionId: deps.nextId(), url, events: [...events], createdAt: deps.now() };
      byUrl.set(url, subscription);
      return subscription;
    },
    list: (): readonly Subscription[] => [...byUrl.values()],
    clear: () => byUrl.clear(),
  };
};

export type Subscriptions = ReturnType<typeof createSubscriptions>;
