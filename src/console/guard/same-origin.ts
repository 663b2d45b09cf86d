/** What a browser says of the page that a request came from. */
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

/** Host with the port left out where it is its scheme's own. */
const sameHost = (origin: string, host: string): boolean => {
  const given = hostOf(origin);
  if (given === null) return false;
  const plain = (text: string): string =>
    text.toLowerCase().replace(origin.startsWith("https:") ? /:443$/ : /:80$/, "");
  return given === plain(host);
};

/**
 * Whether a form was sent by a page of our own. Where the browser says so itself (Sec-Fetch-Site, which it does over TLS and on loopback), its
 * word counts; else the page's origin must be the one that people see. Without either nobody is believed.
 */
export const isOwnPage = ({ site, origin, host }: Sender, seenAs: string | null): boolean => {
  if (site !== undefined) return site === "same-origin";
  if (origin === undefined) return false;
  return seenAs === null ? host !== undefined && sameHost(origin, host) : origin === seenAs;
};
