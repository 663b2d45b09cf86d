import { isIP } from "node:net";
import { coverAllAddresses, isCidr } from "../runtime/cidr.ts";
import { decodePercent } from "../runtime/percent.ts";
import { listOf } from "./kinds.ts";
import { checkPlainText, kind } from "./setting.ts";

/** The URL parser is too lenient: it takes line breaks, no slashes, and the comma between two addresses. */
export const isAddress = (text: string): boolean =>
  /^https?:\/\/[^\s\\]+$/i.test(text) &&
  !/[,;|]https?:\/\//i.test(text) &&
  /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/.test(URL.parse(text)?.hostname ?? "");

const parsedUrl = (value: string): URL => {
  if (!isAddress(value)) throw new Error("is not one http or https address");
  const parsed = new URL(value);
  if (parsed.port === "0") throw new Error("names port 0, which no server can have");
  if (parsed.username !== "" || parsed.password !== "")
    throw new Error("holds credentials, which have settings of their own");
  return parsed;
};

export const url = kind("address", (value) => {
  const { search, hash } = parsedUrl(value);
  if (search !== "" || hash !== "") throw new Error("has a query or a fragment");
  return value.replace(/\/+$/, "");
});

/** The query stays: some token endpoints need one. */
export const endpoint = kind("address", (value) => {
  if (parsedUrl(value).hash !== "") throw new Error("has a fragment");
  return value;
});

export const isPrivateUrl = (value: string): boolean => {
  const { protocol, hostname } = new URL(value);
  return protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
};

/** An origin as browsers write it. Requires https, except on this machine: operators send passwords there. */
export const origin = kind("address", (value) => {
  const parsed = parsedUrl(value).origin;
  if (value.toLowerCase().replace(/\/$/, "") !== parsed)
    throw new Error("is not an origin such as https://console.example, without path or default port");
  if (!isPrivateUrl(parsed)) throw new Error("is not https");
  return parsed;
});

/** The address may hold a password: errors repeat nothing of it. */
export const checkProxy = (text: string): void => {
  checkPlainText(text);
  const proxy = isAddress(text) ? new URL(text) : null;
  if (proxy === null || proxy.port === "0") throw new Error("is not one address such as http://proxy:3128");
  if (decodePercent(proxy.username) === null || decodePercent(proxy.password) === null)
    throw new Error("holds a % in its user or password that begins no escape: write %25 for it");
};

const readCidrs = listOf(isCidr, "no range such as 10.0.0.0/8");

export const cidrs = kind("list of CIDRs", readCidrs);

export const trustedCidrs = kind("list of CIDRs", (value) => {
  const items = readCidrs(value);
  if (coverAllAddresses(items))
    throw new Error("holds every address, so that anybody could forge the header: name only the proxies");
  return items;
});

export const host = kind("host", (value) => {
  if (isIP(value) === 0 && !/^[\w.-]+$/.test(value))
    throw new Error("is not an address or a name, such as 127.0.0.1, ::1 or localhost");
  return value;
});

/** `host:port`. kafkajs cuts it at the first colon: an IPv6 address needs a name. */
const isBroker = (text: string): boolean => {
  const port = /^[A-Za-z0-9._-]+:(\d{1,5})$/.exec(text)?.[1];
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535;
};

export const brokers = kind(
  "list of host:port",
  listOf(isBroker, "no host:port such as kafka-1:9092 (an IPv6 address needs a name)", false),
);
