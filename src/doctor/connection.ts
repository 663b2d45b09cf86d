import { TLSSocket } from "node:tls";
import { connectFor, ProxyRefusal, type TlsMaterial } from "../partner/connection/connect.ts";
import { DeadlineError } from "../runtime/clock.ts";
import { isCutOffBeforeTls, messageOf } from "../runtime/errors.ts";
import { fail, warn, type Bounds, type Check, type CheckCode } from "./check.ts";

export type CheckTarget = {
  name: string;
  url: URL;
  tls: TlsMaterial;
  proxy?: URL | null;
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

const explain = (error: unknown, { url, setting, caSetting }: CheckTarget): Fault => {
  const libraryCode = codeOf(error);
  const message = messageOf(error);
  if (error instanceof ProxyRefusal)
    return [
      "proxyRefuses",
      `the proxy answered ${error.status} to CONNECT ${url.host}`,
      "see that it lets this machine through, and user and password in PARTNER_PROXY_URL",
    ];
  if (/SELF_SIGNED_CERT|ISSUER_CERT|LEAF_SIGNATURE/.test(libraryCode))
    return [
      "certificate",
      `its certificate comes from a CA that is not trusted here (${libraryCode})`,
      caSetting === null
        ? "serve it with a certificate of a public CA, and with the intermediate ones"
        : `name the file with that CA's certificate in ${caSetting}`,
    ];
  if (/^CERT_|ALTNAME/.test(libraryCode))
    return [
      "certificate",
      `its certificate does not hold (${message})`,
      `have it renewed, name it in ${setting} as it does, and see that this machine's clock is right`,
    ];
  // These mean only that the connection was closed, where TLS is off.
  if (url.protocol === "https:" && /^(EPROTO|ERR_SSL_(WRONG_VERSION|PACKET_LENGTH).*)$/.test(libraryCode))
    return [
      "notTls",
      `${url.host} does not speak TLS (${libraryCode})`,
      `name its TLS port in ${setting}, or leave TLS out`,
    ];
  if (libraryCode === "ETIMEDOUT")
    return [
      "silent",
      `${url.host} does not answer (${libraryCode})`,
      `check that it runs, that no firewall or NetworkPolicy blocks the way, and that ${setting} is right`,
    ];
  if (/^(ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/.test(libraryCode))
    return [
      "nameUnknown",
      `the name ${url.hostname} cannot be resolved (${libraryCode})`,
      `correct ${setting}, or check the name servers of this machine`,
    ];
  if (libraryCode === "ECONNREFUSED")
    return [
      "nothingListens",
      `nothing listens at ${url.host} (${libraryCode})`,
      `start it, or correct ${setting}`,
    ];
  const remedy = `check that it runs, and that ${setting} is right`;
  return ["unreachable", `${url.host} cannot be reached (${message})`, remedy];
};

export const unreachable = (error: unknown, target: CheckTarget): Check => {
  const [code, detail, remedy] = explain(error, target);
  return fail(target.name, `${detail}; ${target.until}`, remedy, code);
};

/** Connects, with TLS for https, sends nothing, and closes. Returns nothing if all is well. */
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

/** Returns the fault of an http:// address whose server speaks TLS, otherwise nothing. */
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
