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

/**
 * Lets kafkajs's request queue set its timer only while requests are pending.
 *
 * Why: in kafkajs 2.2.4 an empty queue sets a timer too, with a negative delay: the end of the last throttling minus
 * the current time. Node takes that for 1 ms, so each idle connection wakes the process up to a thousand times a
 * second. Node 24 also prints a TimeoutNegativeWarning on standard error.
 *
 * What breaks it: a version of kafkajs that has the class or the method elsewhere. So package.json pins the version,
 * and a test checks it.
 *
 * How to remove it: delete this file and its call in `client.ts` once kafkajs sets no such timer; the tests of this
 * file show that.
 */
export const stopIdleTimers = (): void => {
  if (done) return;
  const { prototype } = require(QUEUE) as { prototype: RequestQueue };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) schedule.call(this);
  };
  done = true;
};
