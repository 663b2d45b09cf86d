import { createHook } from "node:async_hooks";

/** Never looked at: see below. */
const kept: unknown[] = [];

/**
 * Keeps `process.nextTick` quick for as long as the process lives. It makes an object for each call, and V8 has a shape for those objects; when the
 * whole heap is collected while there is none of them, the shape goes too, the code that made them has then seen two shapes, and never again
 * takes the short way: every call costs ten times as much (0.3 us and 4.3 us for the calls of one webhook). Whether that happens is decided by chance in the first seconds. One such object,
 * kept for ever, keeps the shape; async_hooks is the public way to one.
 */
export const keepTickShape = (): void => {
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === "TickObject") kept.push(resource);
    },
  }).enable();
  process.nextTick(() => undefined);
  hook.disable();
};
