import { connectFor, type TlsMaterial } from "../partner/connection/connect.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { messageOf } from "../runtime/errors.ts";
import type { Bounds } from "./check.ts";

/** A server to connect to, and the settings that configure it. */
export type Target = {
  url: URL;
  tls: TlsMaterial;
  proxy?: URL | null;
  /** The setting, or the option, that names the address. */
  setting: string;
  /** The setting that names CA certificates to trust; null where there is none. */
  caSetting: string | null;
};

export type Fault = { detail: string; remedy: string };

export type ReachResult = { ok: true } | ({ ok: false; isRefused: boolean } & Fault);

const CONNECT_MS = 4_000;
/** Shorter: a server that speaks no TLS may wait for the end of a request that never comes. */
const TRY_TLS_MS = 2_000;

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "";
  if (error instanceof DeadlineError) return "ETIMEDOUT";
  if (/before secure TLS|socket hang up/.test(error.message)) return "EPROTO";
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error.cause);
};

type Explain = (target: Target, message: string) => readonly [detail: string, remedy: string];

const notTls: Explain = ({ url, setting }) => [
  `${url.host} does not speak TLS`,
  `name its TLS port in ${setting}, or leave TLS out`,
];
const unresolved: Explain = ({ url, setting }) => [
  `the name ${url.hostname} cannot be resolved`,
  `correct ${setting}, or check the name servers of this machine`,
];
const untrusted: Explain = ({ caSetting }) => [
  "its certificate comes from a CA that is not trusted here",
  caSetting === null
    ? "serve it with a certificate of a public CA, and with the intermediate ones"
    : `name the file with that CA's certificate in ${caSetting}`,
];
const silent: Explain = ({ url, setting }) => [
  `${url.host} does not answer`,
  `check that it runs, that no firewall or NetworkPolicy blocks the way, and that ${setting} is right`,
];
const noRoute: Explain = ({ url, setting }) => [
  `there is no route to ${url.host}`,
  `check network and firewall, or correct ${setting}`,
];

/** By the codes of Node.js and OpenSSL. */
const FAULTS: Readonly<Record<string, Explain>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: () => [
    "its certificate has expired",
    "have it renewed, and see that this machine's clock is right",
  ],
  CERT_NOT_YET_VALID: () => ["its certificate is not valid yet", "see that this machine's clock is right"],
  ERR_TLS_CERT_ALTNAME_INVALID: ({ setting }, message) => [
    `its certificate is for another name (${message})`,
    `name it in ${setting} as its certificate does`,
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  EPROTO: notTls,
  ETIMEDOUT: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  EAI_NODATA: unresolved,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ECONNREFUSED: ({ url, setting }) => [`nothing listens at ${url.host}`, `start it, or correct ${setting}`],
};

/** Why a server cannot be reached, and what to do about it. */
export const explainFailure = (error: unknown, target: Target): Fault => {
  const message = messageOf(error);
  const { url, setting } = target;
  const proxyStatus = /the proxy answered (\d+)/.exec(message)?.[1];
  if (proxyStatus !== undefined)
    return {
      detail: `the proxy answered ${proxyStatus} to CONNECT ${url.host}`,
      remedy:
        proxyStatus === "407"
          ? "put user and password into PARTNER_PROXY_URL"
          : "have the proxy let this machine through, or correct PARTNER_PROXY_URL",
    };
  const code = codeOf(error);
  const explain = FAULTS[code];
  // Without TLS it only means that the connection was closed.
  const known = explain === notTls && url.protocol !== "https:" ? undefined : explain?.(target, message);
  return known
    ? { detail: `${known[0]} (${code})`, remedy: known[1] }
    : {
        detail: `${url.host} cannot be reached (${message})`,
        remedy: `check that it runs, and that ${setting} is right`,
      };
};

/** Connects, with TLS for https, sends nothing, and closes. */
export const reach = async (
  target: Target,
  { clock, signal }: Bounds,
  ms = CONNECT_MS,
): Promise<ReachResult> => {
  const { url, tls, proxy = null } = target;
  const opening = connectFor({ origin: url, tls, proxy: proxy && (() => proxy), clock })();
  try {
    await clock.within(ms, signal, opening.socket);
    return { ok: true };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, isRefused: codeOf(error) === "ECONNREFUSED", ...explainFailure(error, target) };
  } finally {
    opening.giveUp();
  }
};

/** The fault of an http:// address where the server speaks TLS; null where it does not. */
export const missingTls = async (target: Target, bounds: Bounds): Promise<Fault | null> => {
  const { url, setting } = target;
  if (url.protocol !== "http:") return null;
  const withTls = new URL(`https://${url.hostname}:${url.port === "" ? 80 : url.port}`);
  const reached = await reach({ ...target, url: withTls }, bounds, TRY_TLS_MS);
  // A certificate error proves TLS, too.
  return reached.ok || /certificate/.test(reached.detail)
    ? {
        detail: `${url.host} speaks TLS there, and we do not`,
        remedy:
          setting === "KAFKA_BROKERS"
            ? "set KAFKA_TLS=true, or name its plaintext port"
            : `write https:// in ${setting}`,
      }
    : null;
};
