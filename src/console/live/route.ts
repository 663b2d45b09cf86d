import type { Context } from "hono";
import type { ConsoleEnv } from "../options.ts";
import { Problem } from "../problem.ts";
import type { LiveStreams } from "./streams.ts";

/** The stream that tells a page to look again. */
export const live =
  (streams: LiveStreams) =>
  (context: Context<ConsoleEnv>): Response => {
    // Of a HEAD the answer's body is never read, nor left.
    if (context.req.method !== "GET") return context.body(null, 200, { "content-type": "text/event-stream" });
    const stream = streams.open();
    if (stream === null)
      throw new Problem(503, "Too many pages are open.", "Pages stay as they are: load them again by hand.", {
        headers: { "retry-after": "30" },
      });
    return context.body(stream, 200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Proxies that gather what they hand on would keep it back.
      "x-accel-buffering": "no",
    });
  };
