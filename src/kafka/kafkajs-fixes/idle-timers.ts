/*
 * kafkajs 2.2.4 sets a timer for an empty queue of requests too, with a negative delay. Node takes that for 1 ms, so
 * each idle connection wakes the process up to a thousand times a second; Node 24 also prints a warning. Mended when
 * "idle-timers.ts" in faults.test.ts fails.
 */
import { createRequire } from "node:module";

/** kafkajs's queue of the requests of one connection: the part that is used here. */
type RequestQueue = {
  /** Requests that wait until the broker's throttling ends or another request is answered. */
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
};

const require = createRequire(import.meta.url);
const QUEUE = "kafkajs/src/network/requestQueue/index.js";

let done = false;

/** Lets kafkajs's request queue set its timer only while requests are pending. */
export const stopIdleTimers = (): void => {
  if (done) return;
  const { prototype } = require(QUEUE) as { prototype: RequestQueue };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
  done = true;
};
