import { Readable } from "node:stream";
import { DeadlineError } from "../../runtime/clock.ts";
import { linkedAbortController } from "../../runtime/abort.ts";
import { MAX_REASON_LENGTH, type Mask } from "../../runtime/mask.ts";
import type { CallLimiter } from "../connection/call-limiter.ts";
import { reasonOf } from "../connection/connection.ts";
import type { Download, Downloaded } from "../connection/download.ts";
import type { FetchLog, LogAnswer, LogQuery, PartnerOptions } from "../types.ts";
import { bodyText, decompressed, readRetryAfter, startOfBody } from "./answer.ts";
import type { Prepare } from "./request.ts";

type FetchLogOptions = Pick<PartnerOptions, "credentials" | "logEndParameter" | "logMaxBytes" | "clock"> & {
  prepare: Prepare;
  download: Download;
  turnBehindOthers: CallLimiter["turnBehindOthers"];
  closed: AbortSignal;
};

/** How long a read waits for a turn of the rate limit that no command needs. */
const WAIT_MS = 300_000;
/** Bounds the whole answer, from the request to the end of the body. */
const WHOLE_MS = 600_000;
/** How much is kept of the body of an answer that is not 2xx. */
const MAX_REFUSAL_BYTES = 4_096;

const ignore = (): undefined => undefined;
const messageIn = (reason: unknown, mask: Mask): Error =>
  new Error(mask(reasonOf(reason), MAX_REASON_LENGTH));

/** Reads the partner's notification log, each time over a connection of its own. Other calls have their turn first. */
export const fetchLogWith = (options: FetchLogOptions): FetchLog => {
  const { credentials, logEndParameter, logMaxBytes, clock, prepare } = options;

  const pathOf = ({ startDate, endDate, eventType }: LogQuery): string => {
    const query = new URLSearchParams({ startDate, [logEndParameter]: endDate });
    if (eventType !== null) query.set("eventType", eventType);
    return `/corporate/v1/webhook/logs?${query.toString()}`;
  };

  async function* contents({ headers, body }: Downloaded, mask: Mask, call: AbortController) {
    let size = 0;
    try {
      for await (const chunk of decompressed(body, headers["content-encoding"])) {
        size += chunk.length;
        if (size > logMaxBytes)
          throw new Error(`the answer is longer than PARTNER_LOG_MAX_BYTES allows, ${logMaxBytes} bytes`);
        yield chunk;
      }
    } catch (error) {
      // The reason of the abort says more than the error of the closed socket.
      throw call.signal.aborted ? call.signal.reason : messageIn(error, mask);
    } finally {
      call.abort(new Error("the answer was read"));
    }
  }

  const waitForTurn = (signal: AbortSignal): Promise<void> =>
    clock.within(WAIT_MS, signal, options.turnBehindOthers(signal)).catch((error: unknown) => {
      throw error instanceof DeadlineError
        ? new Error("commands left no turn of PARTNER_MAX_RPS free for five minutes")
        : error;
    });

  const request = async (query: LogQuery, call: AbortController): Promise<LogAnswer> => {
    const { signal } = call;
    const tooLong = new Error("the answer took longer than ten minutes");
    clock.sleep(WHOLE_MS, signal).then(() => call.abort(tooLong), ignore);
    const { mask, ...get } = prepare(pathOf(query));
    const answered = await options.download(get, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : messageIn(error, mask);
    });
    const { status: httpStatus, headers } = answered;
    const retryAfterMs = readRetryAfter(headers["retry-after"], clock.now());
    const body = contents(answered, mask, call);
    if (httpStatus >= 200 && httpStatus < 300) return { httpStatus, headers, retryAfterMs, body };
    const { bytes } = await startOfBody(body, MAX_REFUSAL_BYTES + mask.marginBytes);
    const text = bodyText(bytes, { maxBytes: MAX_REFUSAL_BYTES, mask });
    return { httpStatus, headers, retryAfterMs, body: Readable.from([Buffer.from(text)]) };
  };

  const requestInTurn = async (query: LogQuery, signal: AbortSignal): Promise<LogAnswer> => {
    const call = linkedAbortController(signal, options.closed);
    try {
      await waitForTurn(call.signal);
      return await request(query, call);
    } catch (error) {
      call.abort(error);
      throw error;
    }
  };

  return async (query, signal) => {
    const answer = await requestInTurn(query, signal);
    if (answer.httpStatus !== 401) return answer;
    credentials.reload();
    return requestInTurn(query, signal);
  };
};
