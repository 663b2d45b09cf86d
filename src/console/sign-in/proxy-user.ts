import type { IncomingMessage } from "node:http";
import { Problem } from "../problem.ts";
import type { Auth, Person } from "../site.ts";

const MAX_NAME = 256;
const utf8 = new TextDecoder("utf-8", { fatal: true });
/** A comma separates the values of a repeated header. */
const NO_NAME = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp},]/u;

const nameIn = (value: string): string | null => {
  try {
    const name = utf8.decode(Buffer.from(value, "latin1")).trim();
    return name === "" || name.length > MAX_NAME || NO_NAME.test(name) ? null : name;
  } catch {
    return null;
  }
};

const NOT_TRUSTED = "This request did not come through the proxy that signs people in.";
const TRUST_IT =
  "Open the console by the proxy's address. If you did, add the proxy's own address to CONSOLE_TRUSTED_PROXY_CIDRS.";

/** The user that the proxy names. Throws a Problem when the peer is not trusted or the header is not exactly one name. */
export const proxyUser = (
  { header, isTrusted, operators }: Extract<Auth, { kind: "proxy-header" }>,
  { rawHeaders }: Pick<IncomingMessage, "rawHeaders">,
  peerAddress: string,
): Person => {
  if (!isTrusted(peerAddress)) throw new Problem(403, NOT_TRUSTED, TRUST_IT);
  const isMeant = (at: number): boolean => rawHeaders[at - 1]?.toLowerCase() === header.toLowerCase();
  const [value, ...more] = rawHeaders.filter((_, at) => at % 2 === 1 && isMeant(at));
  const seen = `see that it sends the header ${header} (CONSOLE_USER_HEADER)`;
  if (value === undefined)
    throw new Problem(401, "The proxy named nobody.", `Sign in there. If you did, ${seen}.`);
  const name = more.length > 0 ? null : nameIn(value);
  const replaces = `See that it replaces the header ${header} rather than adding to what browsers send.`;
  if (name === null) throw new Problem(403, "The proxy did not name exactly one person.", replaces);
  return { name, role: operators.includes(name) ? "operator" : "viewer" };
};
