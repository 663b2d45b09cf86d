/** Reads an http or https address for webhooks; null for anything else, and for a fragment, which no server would see. */
export const readSubscriptionUrl = (text: string): URL | null => {
  if (!/^https?:\/\/[^\s\\#]+$/i.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
};

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

const lastSegmentOf = ({ pathname }: URL): string => pathname.slice(pathname.lastIndexOf("/") + 1);

/** Appends the first secret to the path, unless the path ends with one of the secrets already. */
export const withPathToken = (url: URL, secrets: readonly [string, ...string[]]): URL => {
  if (secrets.includes(decoded(lastSegmentOf(url)))) return url;
  const whole = new URL(url);
  whole.pathname = `${url.pathname.replace(/\/+$/, "")}/${encodeURIComponent(secrets[0])}`;
  return whole;
};

/** The address with its secrets replaced by ***. */
export const shownUrl = (url: URL, endsWithToken: boolean): string => {
  const shown = new URL(url);
  if (shown.password !== "") shown.password = "***";
  if (endsWithToken) shown.pathname = shown.pathname.replace(/[^/]*$/, "***");
  return shown.href;
};
