import { executionAsyncResource } from "node:async_hooks";

/** Never looked at: see below. */
const kept: unknown[] = [];

/**
 * Keeps `process.nextTick`, which is handed in, quick for as long as the process lives. It makes an object for each call, and V8 has a shape
 * for these objects. When the whole heap is collected while there is none of them, the shape goes with them; the code that makes them has
 * then seen two shapes, and never takes the short way again: the calls of one webhook cost 3 to 4 us instead of 0.3. Chance decides on that
 * in the first seconds. One such object, kept for ever, keeps the shape: to async_hooks it is the resource of its callback.
 */
export const keepTickShape = (nextTick: (callback: () => void) => void): void =>
  nextTick(() => void kept.push(executionAsyncResource()));
