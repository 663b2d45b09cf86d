import { readAnswer } from "../log-to-events/read-answer.ts";
import { openPartner } from "../partner/wire.ts";
import type { Config } from "../config/config.ts";
import { isPrivateUrl } from "../config/addresses.ts";
import { dateIn, SAO_PAULO } from "../runtime/date-in.ts";
import { messageOf } from "../runtime/errors.ts";
import { fail, isFailed, ok, warn, type Check, type Doctor } from "./check.ts";
import { missingTls, reach, type CheckTarget } from "./connection.ts";

/** For head and body, so that an answer may take nearly as long as PARTNER_CALL_TIMEOUT allows by default. */
const READ_MS = 14_000;
/** The Date header has whole seconds, and the request takes time: a smaller difference says nothing. */
const CLOCK_WARN_MS = 5_000;
const CLOCK_FAIL_MS = 60_000;

/** A larger entry is not looked at. */
const MAX_ENTRY_BYTES = 1_048_576;
const TOKENS = "partner's tokens";

type Answer = Parameters<typeof readAnswer>[0];

/** Our clock against the partner's Date header. @param nowMs halfway between request and answer */
export const compareClocks = (date: unknown, nowMs: number): Check => {
  const name = "clock against the partner's";
  // The header cuts off fractions of a second: on average half of one.
  const aheadMs = nowMs - (Date.parse(String(date)) + 500);
  const remedy = "have this machine's clock set by NTP; if it is right, tell the partner";
  if (Number.isNaN(aheadMs)) return warn(name, "its answer has no Date header to compare with", remedy);
  if (Math.abs(aheadMs) < CLOCK_WARN_MS) return ok(name, "they agree");
  const detail = `ours is ${Math.abs(Math.round(aheadMs / 1_000))} s ${aheadMs < 0 ? "behind" : "ahead"}`;
  if (Math.abs(aheadMs) < CLOCK_FAIL_MS) return warn(name, detail, remedy);
  const follows =
    `if ours is wrong, commands (COMMANDS_MAX_AGE, the day in ${SAO_PAULO}) and signed webhooks ` +
    "(WEBHOOK_TOLERANCE) may be refused for their age";
  return fail(name, `${detail}: ${follows}`, remedy);
};

const remedyFor = (status: number): string => {
  if (status === 401 || status === 403)
    return "see PARTNER_ACCESS_TOKEN and PARTNER_X_TOKEN, or ask the partner for new ones";
  if (status === 429 || status >= 500) return "run it again in a minute, then ask the partner";
  return status === 404 || status === 405 || status < 400
    ? "correct PARTNER_BASE_URL, up to but without /corporate"
    : "see `cambio-bridge logs`, PARTNER_LOG_END_PARAMETER and PARTNER_PROXY_URL";
};

/** What the answer to a read of the log says about our tokens, and whether the reconcile flow can read it. */
const judge = async (answer: Answer, { partner }: Config, mask: (text: string) => string): Promise<Check> => {
  const { httpStatus: status } = answer;
  if (status < 200 || status >= 300)
    return (status === 429 ? warn : fail)(
      TOKENS,
      `the partner answers ${status} to a read of its log`,
      remedyFor(status),
    );
  const form = { ...partner, mask, maxEntryBytes: MAX_ENTRY_BYTES };
  const { reasons, isUnderstood } = await readAnswer(answer, form, () => undefined);
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

/** Reads today's log, which changes nothing. */
const checkTokens = async (target: CheckTarget, doctor: Doctor): Promise<Check[]> => {
  const { config, clock, signal } = doctor;
  const partner = openPartner(config, { clock });
  const today = dateIn(SAO_PAULO)(clock.now());
  // The reconcile flow asks for this type of event, too: a partner may require it.
  const query = { startDate: today, endDate: today, eventType: "TRANSACTION_STATUS_UPDATED" };
  const beganAtMs = clock.now();
  const clockChecks: Check[] = [];
  try {
    const tokenCheck = await clock.withDeadline(READ_MS, signal, async (deadline) => {
      const answer = await partner.fetchLog(query, deadline);
      clockChecks.push(compareClocks(answer.headers["date"], (beganAtMs + clock.now()) / 2));
      // Some servers answer a request without TLS with 400.
      const [noTls] = answer.httpStatus === 400 ? await missingTls(target, doctor) : [];
      return noTls ?? judge(answer, config, partner.mask);
    });
    return [tokenCheck, ...clockChecks];
  } catch (error) {
    signal.throwIfAborted();
    const [noTls] = await missingTls(target, doctor);
    const what = clockChecks.length === 0 ? "no answer came to a read of its log" : "its log breaks off";
    const reason = partner.mask(messageOf(error));
    const failed = fail(TOKENS, `${what} (${reason})`, "see that the partner is up, then run it again");
    return [noTls ?? failed, ...clockChecks];
  } finally {
    void partner.close();
  }
};

export const checkPartner = async (doctor: Doctor, hasTokens: boolean): Promise<Check[]> => {
  const { baseUrl = "", proxyUrl, tlsCa, tlsCert, tlsKey } = doctor.config.partner;
  const url = new URL(baseUrl);
  const proxy = proxyUrl ? new URL(proxyUrl.reveal()) : null;
  const target: CheckTarget = {
    name: `partner ${url.host}`,
    url,
    tls: { ca: tlsCa, cert: tlsCert, key: tlsKey?.reveal() },
    proxy,
    setting: "PARTNER_BASE_URL",
    caSetting: "PARTNER_TLS_CA_FILE",
    until: "until then commands end without being sent",
  };
  if (proxy) {
    const hop = { name: "partner's proxy", url: proxy, tls: {}, proxy: null, setting: "PARTNER_PROXY_URL" };
    const proxyChecks = await reach({ ...target, ...hop }, doctor);
    if (isFailed(proxyChecks)) return proxyChecks;
  }
  const reached = await reach(target, doctor);
  if (isFailed(reached)) return reached;
  const way = isPrivateUrl(baseUrl)
    ? ok(target.name, proxy ? "can be reached through the proxy" : "can be reached")
    : warn(
        target.name,
        "it is called without TLS: anybody on the way reads the tokens",
        "name its https address in PARTNER_BASE_URL",
      );
  return [way, ...reached, ...(hasTokens ? await checkTokens(target, doctor) : [])];
};
