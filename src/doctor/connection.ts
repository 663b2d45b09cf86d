import { TLSSocket } from "node:tls";
import { connectFor, ProxyRefusal, type TlsMaterial } from "../partner/connection/connect.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { isCutOffBeforeTls, messageOf } from "../runtime/errors.ts";
import { fail, warn, type Bounds, type Check, type CheckCode } from "./check.ts";

/** A server to connect to, and the settings that configure it. */
export type CheckTarget = {
  name: string;
  url: URL;
  tls: TlsMaterial;
  proxy?: URL | null;
  /** The setting that names the address. */
  setting: string;
  /** The setting that names CA certificates to trust; null where there is none. */
  caSetting: string | null;
  /** What follows while it cannot be reached. */
  until: string;
};

const CONNECT_MS = 4_000;
/** Shorter: a server that speaks no TLS may wait for the end of a request that never comes. */
const TRY_TLS_MS = 2_000;
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return "";
  if (error instanceof DeadlineError) return "ETIMEDOUT";
  if (isCutOffBeforeTls(error)) return "EPROTO";
  if ("code" in error && typeof error.code === "string") return error.code;
  return codeOf(error.cause);
};

type Fault = readonly [code: CheckCode, detail: string, remedy: string];
type Explain = (target: CheckTarget, message: string) => Fault;

const notTls: Explain = ({ url, setting }) => [
  "notTls",
  `${url.host} does not speak TLS`,
  `name its TLS port in ${setting}, or leave TLS out`,
];
const unresolved: Explain = ({ url, setting }) => [
  "nameUnknown",
  `the name ${url.hostname} cannot be resolved`,
  `correct ${setting}, or check the name servers of this machine`,
];
const untrusted: Explain = ({ caSetting }) => [
  "certificate",
  "its certificate comes from a CA that is not trusted here",
  caSetting === null
    ? "serve it with a certificate of a public CA, and with the intermediate ones"
    : `name the file with that CA's certificate in ${caSetting}`,
];
const silent: Explain = ({ url, setting }) => [
  "silent",
  `${url.host} does not answer`,
  `check that it runs, that no firewall or NetworkPolicy blocks the way, and that ${setting} is right`,
];

/** By the codes of Node.js and OpenSSL. */
const FAULTS: Readonly<Record<string, Explain>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: () => [
    "certificate",
    "its certificate has expired",
    "have it renewed, and see that this machine's clock is right",
  ],
  CERT_NOT_YET_VALID: () => [
    "certificate",
    "its certificate is not valid yet",
    "see that this machine's clock is right",
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ({ setting }, message) => [
    "certificate",
    `its certificate is for another name (${message})`,
    `name it in ${setting} as its certificate does`,
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  EPROTO: notTls,
  ETIMEDOUT: silent,
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  EAI_NODATA: unresolved,
  ECONNREFUSED: ({ url, setting }) => [
    "nothingListens",
    `nothing listens at ${url.host}`,
    `start it, or correct ${setting}`,
  ],
};

const explain = (error: unknown, target: CheckTarget): Fault => {
  const message = messageOf(error);
  const { url, setting } = target;
  if (error instanceof ProxyRefusal)
    return [
      "proxyRefuses",
      `the proxy answered ${error.status} to CONNECT ${url.host}`,
      "see that it lets this machine through, and user and password in PARTNER_PROXY_URL",
    ];
  const libraryCode = codeOf(error);
  // Without TLS it only means that the connection was closed.
  const isKnown = FAULTS[libraryCode] !== notTls || url.protocol === "https:";
  const fault = isKnown ? FAULTS[libraryCode]?.(target, message) : undefined;
  if (fault) return [fault[0], `${fault[1]} (${libraryCode})`, fault[2]];
  const remedy = `check that it runs, and that ${setting} is right`;
  return ["unreachable", `${url.host} cannot be reached (${message})`, remedy];
};

/** Why a server cannot be reached, and what to do about it. */
export const unreachable = (error: unknown, target: CheckTarget): Check => {
  const [code, detail, remedy] = explain(error, target);
  return fail(target.name, `${detail}; ${target.until}`, remedy, code);
};

/** Connects, with TLS for https, sends nothing, and closes. Nothing where all is well. */
export const reach = async (
  target: CheckTarget,
  { clock, signal }: Bounds,
  ms = CONNECT_MS,
): Promise<Check[]> => {
  const { name, url, tls, proxy = null } = target;
  const opening = connectFor({ origin: url, tls, proxy: proxy && (() => proxy), clock })();
  try {
    const socket = await clock.within(ms, signal, opening.socket);
    if (!(socket instanceof TLSSocket)) return [];
    const days = (Date.parse(socket.getPeerCertificate().valid_to) - clock.now()) / DAY_MS;
    const expiry = `its certificate expires in ${Math.ceil(days)} days`;
    return days < SOON_DAYS ? [warn(name, expiry, "have it renewed", "certificate")] : [];
  } catch (error) {
    signal.throwIfAborted();
    return [unreachable(error, target)];
  } finally {
    opening.giveUp();
  }
};

/** The fault of an http:// address where the server speaks TLS. Nothing where it does not. */
export const missingTls = async (target: CheckTarget, bounds: Bounds): Promise<Check[]> => {
  const { name, url, setting } = target;
  if (url.protocol !== "http:") return [];
  const withTls = new URL(`https://${url.hostname}:${url.port === "" ? 80 : url.port}`);
  const [fault] = await reach({ ...target, url: withTls }, bounds, TRY_TLS_MS);
  // A certificate that is at fault proves TLS, too.
  if (fault && fault.code !== "certificate") return [];
  const remedy =
    setting === "KAFKA_BROKERS"
      ? "set KAFKA_TLS=true, or name its plaintext port"
      : `write https:// in ${setting}`;
  return [fail(name, `${url.host} speaks TLS there, and we do not; ${target.until}`, remedy)];
};
