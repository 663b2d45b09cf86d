import { TLSSocket } from "node:tls";
import { connectFor, type TlsMaterial } from "../partner/connection/connect.ts";
import { DeadlineError, type Clock } from "../runtime/clock.ts";
import { counted } from "../runtime/counted.ts";
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

/**
 * `expiresMs`: of its certificate. `notTls`: the TLS handshake failed because the other side does not speak
 * TLS, or ended it. `refused`: nothing listens there. `silent`: no answer came in time.
 */
export type ReachResult =
  | { ok: true; expiresMs: number | null }
  | ({ ok: false; notTls: boolean; refused: boolean; silent: boolean } & Fault);

const CONNECT_MS = 4_000;
/** Shorter: a server that speaks no TLS may wait for the end of a request that never comes. */
const TRY_TLS_MS = 2_000;

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error.cause);
};

const UNTRUSTED = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];
const NO_TLS = ["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "EPROTO"];

const certificateFault = (code: string, error: unknown, { setting, caSetting }: Target): Fault | null => {
  if (UNTRUSTED.includes(code))
    return {
      detail: `its certificate comes from a CA that is not trusted here (${code})`,
      remedy:
        caSetting === null
          ? "serve it with a certificate of a public CA, and with the intermediate ones"
          : `name the file with that CA's certificate in ${caSetting}`,
    };
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return {
        detail: "its certificate has expired (CERT_HAS_EXPIRED)",
        remedy: "have it renewed, and see that this machine's clock is right",
      };
    case "CERT_NOT_YET_VALID":
      return {
        detail: "its certificate is not valid yet (CERT_NOT_YET_VALID)",
        remedy: "see that this machine's clock is right",
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        detail: `its certificate is for another name (${messageOf(error)})`,
        remedy: `name it in ${setting} as its certificate does`,
      };
    default:
      return null;
  }
};

/** Why a server cannot be reached, and what to do about it. */
export const explainFailure = (error: unknown, target: Target): Fault => {
  const { url, setting } = target;
  const code = codeOf(error);
  const certificate = certificateFault(code, error, target);
  if (certificate) return certificate;
  const proxyStatus = /the proxy answered (\d+)/.exec(messageOf(error))?.[1];
  if (proxyStatus !== undefined)
    return {
      detail: `the proxy answered ${proxyStatus} to CONNECT ${url.host}`,
      remedy:
        proxyStatus === "407"
          ? "put user and password into PARTNER_PROXY_URL"
          : "have the proxy let this machine through, or correct PARTNER_PROXY_URL",
    };
  if (NO_TLS.includes(code))
    return {
      detail: `${url.host} does not speak TLS (${code})`,
      remedy: `name its TLS port in ${setting}, or leave TLS out`,
    };
  if (error instanceof DeadlineError || code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT")
    return {
      detail: `${url.host} does not answer (${messageOf(error)})`,
      remedy: `check that it runs, that no firewall or NetworkPolicy blocks the way, and that ${setting} is right`,
    };
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_NODATA":
      return {
        detail: `the name ${url.hostname} cannot be resolved (${code})`,
        remedy: `correct ${setting}, or check the name servers of this machine`,
      };
    case "ECONNREFUSED":
      return {
        detail: `${url.host} refuses the connection (ECONNREFUSED): nothing listens there`,
        remedy: `start it, or correct ${setting}`,
      };
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return {
        detail: `there is no route to ${url.host} (${code})`,
        remedy: `check network and firewall, or correct ${setting}`,
      };
    default:
      return {
        detail: `${url.host} cannot be reached (${messageOf(error)})`,
        remedy: `check that it runs, and that ${setting} is right`,
      };
  }
};

/** Whether the other side ended the connection during the TLS handshake. */
const isBrokenOff = (error: unknown): boolean => /before secure TLS|socket hang up/.test(messageOf(error));

/** Connects, with TLS for https, sends nothing, and closes. */
export const reach = async (
  target: Target,
  { clock, signal }: Bounds,
  ms = CONNECT_MS,
): Promise<ReachResult> => {
  const { url, tls, proxy = null } = target;
  const opening = connectFor({ origin: url, tls, proxy: proxy && (() => proxy), clock })();
  try {
    const socket = await clock.within(ms, signal, opening.socket);
    const expires = socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : NaN;
    return { ok: true, expiresMs: Number.isNaN(expires) ? null : expires };
  } catch (error) {
    const code = codeOf(error);
    const notTls = url.protocol === "https:" && (NO_TLS.includes(code) || isBrokenOff(error));
    const [refused, silent] = [code === "ECONNREFUSED", error instanceof DeadlineError];
    return { ok: false, notTls, refused, silent, ...explainFailure(error, target) };
  } finally {
    opening.giveUp();
  }
};

/** Whether a server speaks TLS at an address that is given without it. */
export const speaksTls = async (target: Target, bounds: Bounds): Promise<boolean> => {
  const { hostname, port } = target.url;
  const url = new URL(`https://${hostname}:${port === "" ? 80 : port}`);
  const reached = await reach({ ...target, url }, bounds, TRY_TLS_MS);
  // A certificate error proves TLS, too.
  return reached.ok || (!reached.notTls && /certificate/.test(reached.detail));
};

/** The fault of an http:// address where the server speaks TLS; null where it does not. */
export const missingTls = async (target: Target, bounds: Bounds): Promise<Fault | null> => {
  const { url, setting } = target;
  if (url.protocol !== "http:" || !(await speaksTls(target, bounds))) return null;
  return {
    detail: `${url.host} speaks TLS there, and ${setting} begins with http://`,
    remedy: `write https:// in ${setting}`,
  };
};

const DAY_MS = 86_400_000;
const SOON_DAYS = 21;

/** A sentence when a certificate expires within 21 days; null otherwise. */
export const expiresSoon = (expiresMs: number | null, clock: Pick<Clock, "now">): string | null => {
  if (expiresMs === null) return null;
  const days = Math.floor((expiresMs - clock.now()) / DAY_MS);
  if (days >= SOON_DAYS) return null;
  const when = days === 0 ? "within a day" : `in ${counted(days, "day")}`;
  return `its certificate expires ${when}, on ${new Date(expiresMs).toISOString().slice(0, 10)}`;
};
