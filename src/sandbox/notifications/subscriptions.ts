import type { Subscription } from "../types.ts";

export type Subscriptions = {
  /** Subscribing a URL again changes its events and keeps its id. */
  subscribe(url: string, events: readonly string[]): Subscription;
  list(): readonly Subscription[];
  clear(): void;
};

export const createSubscriptions = (deps: { now: () => number; nextId: () => string }): Subscriptions => {
  const byUrl = new Map<string, Subscription>();
  return {
    subscribe: (url, events) => {
      const known = byUrl.get(url);
      if (known) {
        known.events = [...events];
        return known;
      }
      const subscription = { subscriptionId: deps.nextId(), url, events: [...events], createdAt: deps.now() };
      byUrl.set(url, subscription);
      return subscription;
    },
    list: () => [...byUrl.values()],
    clear: () => byUrl.clear(),
  };
};
