import { messageOf } from "../../runtime/errors.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Reading } from "../ports.ts";

/** Streams of all browsers; each has a connection. */
const MAX_STREAMS = 100;
/** Pages are told at most so often that something changed. */
const CHANGE_EVERY_MS = 1_000;
/** A browser that hears nothing for a while knows that the stream is broken. */
const BEAT_EVERY_MS = 10_000;
/** Then a browser comes again, and has to be signed in again. */
const MAX_AGE_MS = 600_000;
/** Of what was not read; who is further behind is slow, and better told anew. */
const MAX_UNREAD = 16;

const bytes = new TextEncoder();
const CHANGE = bytes.encode("event: change\ndata:\n\n");
const BEAT = bytes.encode("event: beat\ndata:\n\n");

type Stream = { write: (chunk: Uint8Array) => void; end: () => void };

export type LiveStreams = {
  /** Null where there are too many. */
  open: () => ReadableStream<Uint8Array> | null;
  count: () => number;
};

/** Tells browsers that something may look different, and nothing else: what it is, the page says. */
export const createLiveStreams = (reading: Pick<Reading, "onChange">, clock: Clock): LiveStreams => {
  const streams = new Set<Stream>();
  let stopHearing: (() => void) | null = null;
  let hasChanged = false;

  const tell = (chunk: Uint8Array): void => {
    for (const stream of streams) stream.write(chunk);
  };

  const tellSoon = (): void => {
    if (hasChanged) return;
    hasChanged = true;
    void clock.sleep(CHANGE_EVERY_MS).then(() => {
      hasChanged = false;
      tell(CHANGE);
    });
  };

  const leave = (stream: Stream): void => {
    streams.delete(stream);
    if (streams.size > 0) return;
    stopHearing?.();
    stopHearing = null;
  };

  /** Beats until the stream is left or old. */
  const beat = async (stream: Stream, untilMs: number, signal: AbortSignal): Promise<void> => {
    while (streams.has(stream) && clock.monotonic() < untilMs) {
      stream.write(BEAT);
      await clock.sleep(BEAT_EVERY_MS, signal);
    }
    stream.end();
  };

  const open = (): ReadableStream<Uint8Array> | null => {
    if (streams.size >= MAX_STREAMS) return null;
    const gone = new AbortController();
    let stream: Stream | null = null;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const end = (): void => {
            if (!streams.has(mine)) return;
            leave(mine);
            gone.abort(new Error("the stream is over"));
            controller.close();
          };
          const write = (chunk: Uint8Array): void => {
            if (!streams.has(mine)) return;
            if ((controller.desiredSize ?? 0) <= 0) end();
            else controller.enqueue(chunk);
          };
          const mine: Stream = { write, end };
          stream = mine;
          streams.add(mine);
          stopHearing ??= reading.onChange(tellSoon);
          beat(mine, clock.monotonic() + MAX_AGE_MS, gone.signal).catch((error: unknown) => {
            // Gone in the middle of a sleep: there is nobody left to tell.
            if (!gone.signal.aborted) throw new Error(messageOf(error), { cause: error });
          });
        },
        cancel: () => {
          if (stream) leave(stream);
          gone.abort(new Error("the browser went away"));
        },
      },
      { highWaterMark: MAX_UNREAD },
    );
  };
  return { open, count: () => streams.size };
};
