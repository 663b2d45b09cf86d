import { examineLog } from "../log-to-events/wire/views.ts";
import { openPartner } from "../services/partner.ts";
import { tlsMaterial } from "../services/pem.ts";
import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/addresses.ts";
import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { compareClocks } from "./clocks.ts";
import { missingTls, reach, type Target } from "./connection.ts";

/** For everything, so that an answer may take as long as PARTNER_CALL_TIMEOUT allows by default. */
const WITHIN_MS = 17_000;

/** As the reconcile flow asks for: a partner may require it. */
const STATUS_EVENT = "TRANSACTION_STATUS_UPDATED";
const TOKENS = "partner's tokens";

type Answer = Parameters<typeof examineLog>[1];

/** What a status other than 2xx says about our tokens. */
const judgeStatus = (status: number): Check => {
  const answers = `the partner answers ${status} to a read of its log`;
  if (status === 401 || status === 403)
    return fail(
      TOKENS,
      `${answers}: no command would be executed`,
      "see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN, or ask the partner for new ones",
    );
  if (status === 407) return fail(TOKENS, "the proxy wants credentials (407)", "see PARTNER_PROXY_URL");
  if (status === 429)
    return warn(TOKENS, "the partner wants fewer calls now (429)", "run it again in a minute");
  if (status >= 500)
    return fail(
      TOKENS,
      `${answers}, so that tokens could not be tried`,
      "run it again, then ask the partner",
    );
  return status === 404 || status === 405 || status < 400
    ? fail(TOKENS, answers, "correct PARTNER_BASE_URL, up to but without /corporate")
    : fail(TOKENS, answers, "see `cambio-bridge logs`, and PARTNER_LOG_END_PARAMETER");
};

/** What the answer to a read of the log says about our tokens, and whether the reconcile flow can read it. */
const judge = async (answer: Answer, config: Config): Promise<Check> => {
  const { httpStatus: status, headers } = answer;
  if (status < 200 || status >= 300) return judgeStatus(status);
  const type = String(headers["content-type"] ?? "");
  if (/html/.test(type))
    return fail(
      TOKENS,
      `a web page answers (${status}, ${type}), not the partner's API`,
      "correct PARTNER_BASE_URL",
    );
  const { reasons, isUnderstood } = await examineLog(config, answer);
  const why = reasons.join("; ");
  if (why === "") return ok(TOKENS, `its log of notifications can be read (${status})`);
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

/** Reads today's log, which changes nothing. `endsAt`: on the monotonic clock. */
const checkTokens = async (
  config: Config,
  target: Target,
  endsAt: number,
  { clock, signal }: Bounds,
): Promise<Check[]> => {
  const partner = openPartner(config, { clock });
  const today = dateIn(SAO_PAULO)(clock.now());
  const query = { startDate: today, endDate: today, eventType: STATUS_EVENT };
  const leftMs = (): number => Math.max(endsAt - clock.monotonic(), 0);
  const beganAt = clock.now();
  let ofClock: Check | null = null;
  try {
    const answer = await clock.withDeadline(leftMs(), signal, (asked) => partner.fetchLog(query, asked));
    ofClock = compareClocks(answer.headers["date"], (beganAt + clock.now()) / 2);
    // Some servers answer a request without TLS with 400.
    const noTls = answer.httpStatus === 400 ? await missingTls(target, { clock, signal }) : null;
    if (noTls) return [fail(TOKENS, noTls.detail, noTls.remedy)];
    return [await clock.within(leftMs(), signal, judge(answer, config)), ofClock];
  } catch (error) {
    signal.throwIfAborted();
    const noTls = await missingTls(target, { clock, signal });
    if (noTls) return [fail(TOKENS, noTls.detail, noTls.remedy)];
    const what = ofClock === null ? "no answer came to a read of its log" : "its log breaks off";
    const reason = partner.mask(messageOf(error));
    const failed = fail(TOKENS, `${what} (${reason})`, "see that the partner is up, then run it again");
    return ofClock === null ? [failed] : [failed, ofClock];
  } finally {
    void partner.close();
  }
};

/** The connection to the partner, through the proxy if one is set. */
const checkConnection = async (target: Target, bounds: Bounds): Promise<Check> => {
  const { url, proxy } = target;
  if (proxy) {
    const setting = "PARTNER_PROXY_URL";
    const reached = await reach({ url: proxy, tls: {}, setting, caSetting: null }, bounds);
    if (!reached.ok) return fail("partner's proxy", reached.detail, reached.remedy);
  }
  const reached = await reach(target, bounds);
  const name = `partner ${url.host}`;
  if (!reached.ok)
    return fail(name, `${reached.detail}; until then commands end without being sent`, reached.remedy);
  return isPrivateUrl(url.href)
    ? ok(name, proxy ? "can be reached through the proxy" : "can be reached")
    : warn(
        name,
        "it is called without TLS: anybody on the way reads the tokens",
        "name its https address in PARTNER_BASE_URL",
      );
};

/** Checks the connection to the partner, our tokens by a harmless read where there are any, and its clock. */
export const checkPartner = async (config: Config, hasTokens: boolean, bounds: Bounds): Promise<Check[]> => {
  const endsAt = bounds.clock.monotonic() + WITHIN_MS;
  const { baseUrl = "", proxyUrl } = config.partner;
  const target: Target = {
    url: new URL(baseUrl),
    tls: tlsMaterial("PARTNER", config.partner),
    proxy: proxyUrl ? new URL(proxyUrl.reveal()) : null,
    setting: "PARTNER_BASE_URL",
    caSetting: "PARTNER_TLS_CA_FILE",
  };
  const way = await checkConnection(target, bounds);
  if (way.status === "fail" || !hasTokens) return [way];
  return [way, ...(await checkTokens(config, target, endsAt, bounds))];
};
