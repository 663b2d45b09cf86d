import { examineLog } from "../bridge/partner-log-views.ts";
import type { Config } from "../config/config.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import { escapeInvisible } from "../runtime/invisible.ts";
import { objectOf, parseJson } from "../runtime/json-object.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";

export const TOKENS = "partner's tokens";
const MAX_SAID_LENGTH = 200;
/** How long a refusal's text is waited for: it comes with the head. */
const REFUSAL_MS = 1_000;

/** An answer to a read of the partner's log, and the time that is left to read it. */
export type Answered = Parameters<typeof examineLog>[1] & {
  mask: (text: string) => string;
  leftMs: number;
};

/** What a JSON answer says of an error: `message`, or `error` as a text or an object with a message. */
const textIn = (body: unknown): string | null => {
  const { message, error } = objectOf(body) ?? {};
  const texts = [message, error, objectOf(error)?.["message"]];
  return texts.find((text): text is string => typeof text === "string" && text.trim() !== "") ?? null;
};

/** What the partner says of a refusal, to follow its status; empty where it says nothing. */
const saidIn = async ({ body, mask, leftMs }: Answered, { clock, signal }: Bounds): Promise<string> => {
  const read = async (): Promise<unknown> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return parseJson(Buffer.concat(chunks).toString("utf8"));
  };
  const text = textIn(await clock.within(Math.min(leftMs, REFUSAL_MS), signal, read()).catch(() => null));
  signal.throwIfAborted();
  if (text === null) return "";
  const shown = escapeInvisible(mask(text.trim()));
  return ` and says "${shown.slice(0, MAX_SAID_LENGTH)}${shown.length > MAX_SAID_LENGTH ? "…" : ""}"`;
};

/** What a status other than 2xx says about our tokens. */
const judgeStatus = (status: number, said: string): Check => {
  const answers = `the partner answers ${status}${said}`;
  if (status === 401 || status === 403)
    return fail(
      TOKENS,
      `${answers}: no command would be executed`,
      "see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN, or ask the partner for new ones",
    );
  if (status === 407) return fail(TOKENS, "the proxy wants credentials (407)", "see PARTNER_PROXY_URL");
  if (status === 429)
    return warn(TOKENS, `the partner wants fewer calls now (429)${said}`, "run it again in a minute");
  if (status >= 500)
    return fail(
      TOKENS,
      `${answers}, so that tokens could not be tried`,
      "run it again, then ask the partner",
    );
  const asked = `the partner answers ${status} to a read of its log${said}`;
  return status === 404 || status === 405 || status < 400
    ? fail(TOKENS, asked, "correct PARTNER_BASE_URL, up to but without /corporate")
    : fail(TOKENS, asked, "see `cambio-bridge logs`, and PARTNER_LOG_END_PARAMETER");
};

/** What a 2xx holds, as the reconcile flow reads it. */
const judgeLog = (
  status: number,
  { reasons, isUnderstood }: Awaited<ReturnType<typeof examineLog>>,
): Check => {
  if (reasons.length === 0) return ok(TOKENS, `its log of notifications can be read (${status})`);
  const why = reasons.join("; ");
  return isUnderstood
    ? warn(
        TOKENS,
        `its log of notifications can be read (${status}), but not as a whole: ${why}`,
        'read "When a run is not complete" in docs/partner.md',
      )
    : fail(
        TOKENS,
        `the partner answers ${status}, but not with its log: ${why}`,
        "see `cambio-bridge logs --json`, PARTNER_BASE_URL and PARTNER_LOG_ENTRIES_POINTER",
      );
};

/** What the partner's answer to a read of its log says about our tokens. Reads the answer's body. */
export const judgeAnswer = async (answered: Answered, config: Config, bounds: Bounds): Promise<Check> => {
  const { httpStatus: status, headers, leftMs } = answered;
  if (status < 200 || status >= 300) return judgeStatus(status, await saidIn(answered, bounds));
  const contentType = String(headers["content-type"] ?? "");
  if (/html/.test(contentType))
    return fail(
      TOKENS,
      `a web page answers (${status}, ${contentType}), not the partner's API`,
      "correct PARTNER_BASE_URL",
    );
  try {
    return judgeLog(status, await bounds.clock.within(leftMs, bounds.signal, examineLog(config, answered)));
  } catch (error) {
    bounds.signal.throwIfAborted();
    return fail(
      TOKENS,
      error instanceof DeadlineError
        ? `the partner answers ${status}, but its log does not end within ${Math.round(leftMs / 1_000)} s`
        : `the partner answers ${status}, but its log breaks off (${messageOf(error)})`,
      "see `cambio-bridge logs`, and ask the partner",
    );
  }
};
