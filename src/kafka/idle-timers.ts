import { createRequire } from "node:module";

/** A kafkajs queue of the requests of one connection: as much as is used here. */
type RequestQueue = {
  /** Sent when the throttling of the broker ends, or when another request is answered. */
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
};

const require = createRequire(import.meta.url);
const QUEUE = "kafkajs/src/network/requestQueue/index.js";

let done = false;

/**
 * Lets kafkajs's request queue set its timer only while requests are pending.
 *
 * Why: as kafkajs 2.2.4 has it, a queue with nothing pending sets a timer too, whose delay is the end of the last throttling less the
 * current time. That is negative. Node takes it for 1 ms, so each idle connection wakes the process up to a thousand times a second; from
 * Node 24 on, a TimeoutNegativeWarning on standard error says so.
 *
 * What breaks it: another version of kafkajs that has the class or the method elsewhere, hence the exact version in package.json and its test.
 *
 * How to take it out: delete this file and the call in `client.ts`, once kafkajs sets no such timer; the tests of this file say so.
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
