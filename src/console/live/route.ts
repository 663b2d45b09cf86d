import type { Context } from "hono";
import type { ConsoleEnv } from "../options.ts";
import { Problem } from "../problem.ts";
import type { LiveStreams } from "./streams.ts";

const tooMany = (): Problem =>
  new Problem(503, "Too many pages are open.", "Pages stay as they are: load them again by hand.", {
    headers: { "retry-after": "30" },
  });

/** The server-sent events that tell a page to reload its parts. */
export const liveRoute =
  (streams: LiveStreams) =>
  (context: Context<ConsoleEnv>): Response => {
    // Nobody would read, or close, the body of a HEAD's answer.
    if (context.req.method !== "GET") return context.body(null, 200, { "content-type": "text/event-stream" });
    const stream = streams.open(context.var.person?.name ?? null);
    if (stream === null) throw tooMany();
    return context.body(stream, 200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Keeps nginx from buffering the events.
      "x-accel-buffering": "no",
    });
  };
