/** An http or https address to be notified at, as it is sent; null for anything else. What stands behind a `#` would never arrive. */
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

/** The address with the first secret as the end of its path, unless one of the secrets is there already. */
export const withPathToken = (url: URL, secrets: readonly [string, ...string[]]): URL => {
  if (secrets.includes(decoded(lastSegmentOf(url)))) return url;
  const whole = new URL(url);
  whole.pathname = `${url.pathname.replace(/\/+$/, "")}/${encodeURIComponent(secrets[0])}`;
  return whole;
};

/** The address as people may see it. */
export const shownUrl = (url: URL, endsWithToken: boolean): string => {
  const shown = new URL(url);
  if (shown.password !== "") shown.password = "***";
  if (endsWithToken) shown.pathname = shown.pathname.replace(/[^/]*$/, "***");
  return shown.href;
};
