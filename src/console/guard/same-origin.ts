/** The headers that tell which page a request came from. */
export type Sender = {
  site: string | undefined;
  origin: string | undefined;
  host: string | undefined;
};

const hostOf = (origin: string): string | null => {
  try {
    const url = new URL(origin);
    return url.origin === origin ? url.host : null;
  } catch {
    return null;
  }
};

/** Compares hosts without the default port of the scheme. */
const sameHost = (origin: string, host: string): boolean => {
  const given = hostOf(origin);
  if (given === null) return false;
  const plain = (text: string): string =>
    text.toLowerCase().replace(origin.startsWith("https:") ? /:443$/ : /:80$/, "");
  return given === plain(host);
};

/**
 * Whether a form was sent by a page of the console. Sec-Fetch-Site decides where the browser sends it (over TLS
 * and on loopback); otherwise the Origin must be the console's own. With neither header the answer is no.
 * @param seenAs CONSOLE_ORIGIN; null: the Host header
 */
export const isOwnPage = ({ site, origin, host }: Sender, seenAs: string | null): boolean => {
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined) return false;
  return seenAs === null ? host !== undefined && sameHost(origin, host) : origin === seenAs;
};
