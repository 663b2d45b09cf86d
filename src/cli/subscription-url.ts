import { isAddress } from "../config/addresses.ts";
import { decodePercent } from "../runtime/percent.ts";

/** Reads an http or https address for webhooks; null for anything else, and for a fragment, which no server would see. */
export const readSubscriptionUrl = (text: string): URL | null => {
  return isAddress(text) && !text.includes("#") ? new URL(text) : null;
};

/** Appends the first secret to the path, unless the path ends with one of the secrets already. */
export const withPathToken = (url: URL, secrets: readonly [string, ...string[]]): URL => {
  const last = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  if (secrets.includes(decodePercent(last) ?? last)) return url;
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
