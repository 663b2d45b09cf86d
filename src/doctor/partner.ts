import { openPartner } from "../bridge/partner.ts";
import { tlsMaterial } from "../bridge/pem.ts";
import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/read.ts";
import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { compareClocks } from "./clocks.ts";
import { expiresSoon, reach } from "./connection.ts";

const ANSWER_MS = 8_000;

/** As the reconcile flow asks for: a partner may require it. */
const STATUS_EVENT = "TRANSACTION_STATUS_UPDATED";
const TOKENS = "partner's tokens";

/** What the partner's answer to a read of its log says about our tokens. */
const judgeAnswer = (status: number, contentType: string): Check => {
  if (status === 401 || status === 403)
    return fail(
      TOKENS,
      `the partner answers ${status}: no command would be executed`,
      "see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN, or ask the partner for new ones",
    );
  if (status >= 200 && status < 300)
    return /html/.test(contentType)
      ? fail(
          TOKENS,
          `a web page answers (${status}, ${contentType}), not the partner's API`,
          "correct PARTNER_BASE_URL",
        )
      : ok(TOKENS, `its log of notifications can be read (${status})`);
  if (status === 407) return fail(TOKENS, "the proxy wants credentials (407)", "see PARTNER_PROXY_URL");
  if (status === 429)
    return warn(TOKENS, "the partner wants fewer calls now (429)", "run it again in a minute");
  if (status >= 500)
    return fail(
      TOKENS,
      `the partner answers ${status}, so that tokens could not be tried`,
      "run it again, then ask the partner",
    );
  return status === 404 || status === 405 || status < 400
    ? fail(
        TOKENS,
        `the partner answers ${status} to a read of its log`,
        "correct PARTNER_BASE_URL, up to but without /corporate",
      )
    : fail(
        TOKENS,
        `the partner answers ${status} to a read of its log`,
        "see `cambio-bridge logs`, and PARTNER_LOG_END_PARAMETER",
      );
};

/** Reads today's log, which changes nothing. */
const checkTokens = async (config: Config, { clock, signal }: Bounds): Promise<Check[]> => {
  const partner = openPartner(config, { clock });
  const today = dateIn(SAO_PAULO)(clock.now());
  const query = { startDate: today, endDate: today, eventType: STATUS_EVENT };
  const beganAt = clock.now();
  try {
    const { httpStatus, headers } = await clock.withDeadline(ANSWER_MS, signal, (asked) =>
      partner.fetchLog(query, asked),
    );
    const halfway = (beganAt + clock.now()) / 2;
    return [
      judgeAnswer(httpStatus, String(headers["content-type"] ?? "")),
      compareClocks(headers["date"], halfway),
    ];
  } catch (error) {
    signal.throwIfAborted();
    const reason = partner.mask(messageOf(error));
    return [
      fail(
        TOKENS,
        `no answer came to a read of its log (${reason})`,
        "see that the partner is up, then run it again",
      ),
    ];
  } finally {
    void partner.close();
  }
};

/** The connection to the partner, through the proxy if one is set. */
const checkConnection = async (config: Config, bounds: Bounds): Promise<Check> => {
  const { partner } = config;
  const url = new URL(partner.baseUrl ?? "");
  const proxyText = partner.proxyUrl?.reveal();
  const proxy = proxyText === undefined ? null : new URL(proxyText);
  if (proxy) {
    const setting = "PARTNER_PROXY_URL";
    const reached = await reach({ url: proxy, tls: {}, setting, caSetting: null }, bounds);
    if (!reached.ok) return fail("partner's proxy", reached.detail, reached.remedy);
  }
  const tls = tlsMaterial("PARTNER", partner);
  const target = { url, tls, proxy, setting: "PARTNER_BASE_URL", caSetting: "PARTNER_TLS_CA_FILE" };
  const reached = await reach(target, bounds);
  const name = `partner ${url.host}`;
  if (!reached.ok)
    return fail(name, `${reached.detail}; until then commands end without being sent`, reached.remedy);
  const soon = expiresSoon(reached.expiresMs, bounds.clock);
  if (soon !== null) return warn(name, soon, "tell the partner: from then on no call succeeds");
  return !isPrivateUrl(url.href)
    ? warn(
        name,
        "it is called without TLS: anybody on the way reads the tokens",
        "name its https address in PARTNER_BASE_URL",
      )
    : ok(name, proxy === null ? "can be reached" : "can be reached through the proxy");
};

/**
 * Checks the connection to the partner, our tokens by a harmless read, and its clock. `tokens`: whether they
 * can be tried.
 */
export const checkPartner = async (config: Config, tokens: boolean, bounds: Bounds): Promise<Check[]> => {
  const way = await checkConnection(config, bounds);
  return way.status === "fail" || !tokens ? [way] : [way, ...(await checkTokens(config, bounds))];
};
