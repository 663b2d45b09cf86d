import { openPartner } from "../services/partner.ts";
import { tlsMaterial } from "../services/pem.ts";
import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/read.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, ok, warn, type Bounds, type Check } from "./check.ts";
import { compareClocks } from "./clocks.ts";
import { expiresSoon, missingTls, reach, type Target } from "./connection.ts";
import { judgeAnswer, TOKENS } from "./partner-answer.ts";

/** For everything, so that an answer may take as long as PARTNER_CALL_TIMEOUT allows by default. */
const WITHIN_MS = 17_000;
const SLOW_MS = 8_000;

/** As the reconcile flow asks for: a partner may require it. */
const STATUS_EVENT = "TRANSACTION_STATUS_UPDATED";

const inSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** Reads today's log, which changes nothing. `endsAt`: on the monotonic clock. */
const checkTokens = async (
  config: Config,
  target: Target,
  endsAt: number,
  bounds: Bounds,
): Promise<Check[]> => {
  const { clock, signal } = bounds;
  const partner = openPartner(config, { clock });
  const today = dateIn(SAO_PAULO)(clock.now());
  const query = { startDate: today, endDate: today, eventType: STATUS_EVENT };
  const leftMs = (): number => Math.max(endsAt - clock.monotonic(), 0);
  const allowed = `a call may take ${inSeconds(config.partner.callTimeoutMs)} (PARTNER_CALL_TIMEOUT)`;
  const withinMs = leftMs();
  const beganAt = clock.now();
  const askedAt = clock.monotonic();
  try {
    const answer = await clock.withDeadline(withinMs, signal, (asked) => partner.fetchLog(query, asked));
    const tookMs = clock.monotonic() - askedAt;
    const halfway = (beganAt + clock.now()) / 2;
    // Some servers answer a request without TLS with 400.
    const noTls = answer.httpStatus === 400 ? await missingTls(target, bounds) : null;
    if (noTls) return [fail(TOKENS, noTls.detail, noTls.remedy)];
    const judged = await judgeAnswer({ ...answer, mask: partner.mask, leftMs: leftMs() }, config, bounds);
    const verdict =
      tookMs > SLOW_MS && judged.status === "ok"
        ? warn(
            TOKENS,
            `${judged.detail}, but slowly: the answer came after ${inSeconds(tookMs)}, and ${allowed}`,
            "run it again, and ask the partner",
          )
        : judged;
    return [verdict, compareClocks(answer.headers["date"], halfway, config)];
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DeadlineError)
      return [
        fail(
          TOKENS,
          `no answer came to a read of its log within ${inSeconds(withinMs)}, and ${allowed}`,
          "run it again, and ask the partner",
        ),
      ];
    const noTls = await missingTls(target, bounds);
    if (noTls) return [fail(TOKENS, noTls.detail, noTls.remedy)];
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

const targetOf = ({ partner }: Config): Target => {
  const proxy = partner.proxyUrl?.reveal();
  return {
    url: new URL(partner.baseUrl ?? ""),
    tls: tlsMaterial("PARTNER", partner),
    proxy: proxy === undefined ? null : new URL(proxy),
    setting: "PARTNER_BASE_URL",
    caSetting: "PARTNER_TLS_CA_FILE",
  };
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
  const soon = expiresSoon(reached.expiresMs, bounds.clock);
  if (soon !== null) return warn(name, soon, "tell the partner: from then on no call succeeds");
  return !isPrivateUrl(url.href)
    ? warn(
        name,
        "it is called without TLS: anybody on the way reads the tokens",
        "name its https address in PARTNER_BASE_URL",
      )
    : ok(name, !proxy ? "can be reached" : "can be reached through the proxy");
};

/**
 * Checks the connection to the partner, our tokens by a harmless read, and its clock. `tokens`: whether they
 * can be tried.
 */
export const checkPartner = async (config: Config, tokens: boolean, bounds: Bounds): Promise<Check[]> => {
  const endsAt = bounds.clock.monotonic() + WITHIN_MS;
  const target = targetOf(config);
  const way = await checkConnection(target, bounds);
  if (way.status === "fail" || !tokens) return [way];
  return [way, ...(await checkTokens(config, target, endsAt, bounds))];
};
