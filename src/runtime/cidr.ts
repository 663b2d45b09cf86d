import { BlockList, isIP, isIPv4 } from "node:net";

/** Returns false for a text that is no IP address. */
export type AddressRanges = (address: string) => boolean;

type Range = { address: string; prefixBits: number; family: "ipv4" | "ipv6" };

const blockList = (ranges: readonly Range[]): BlockList => {
  const list = new BlockList();
  for (const { address, prefixBits, family } of ranges) list.addSubnet(address, prefixBits, family);
  return list;
};

const familyOf = (address: string): Range["family"] => (isIPv4(address) ? "ipv4" : "ipv6");

const IPV4_MAPPED = blockList([{ address: "::ffff:0:0", prefixBits: 96, family: "ipv6" }]);

/** Whether the address is of IPv4, also as a socket for both families shows it (::ffff:10.1.2.3). */
const isOfIPv4 = (address: string): boolean => IPV4_MAPPED.check(address, familyOf(address));

/** What one host on the Internet has to itself: an address of IPv4, and the /64 of one of IPv6. */
export const networkOf = (text: string): string => {
  const [address = ""] = text.split("%", 1);
  if (isIP(address) !== 6 || isOfIPv4(address)) return address;
  const [before = [], after = []] = address.split("::").map((part) => part.split(":"));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => (parseInt(group, 16) || 0).toString(16))
    .join(":");
};

/** A range wider than ::ffff:0:0/96 also holds addresses that are not mapped. */
const isRangeOfIPv4 = ({ address, prefixBits, family }: Range): boolean =>
  family === "ipv4" || (isOfIPv4(address) && prefixBits >= 96);

const parseRange = (text: string): Range | null => {
  const [address = "", bits, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return null;
  const family = familyOf(address);
  const maxBits = family === "ipv4" ? 32 : 128;
  const prefixBits = bits === undefined ? maxBits : Number(bits);
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || prefixBits > maxBits)) return null;
  return { address, prefixBits, family };
};

export const isCidr = (text: string): boolean => parseRange(text) !== null;

/** IPv4 ranges match IPv4-mapped IPv6 addresses; IPv6 ranges never match IPv4 ones. Throws what `isCidr` refuses. */
export const rangesOf = (cidrs: readonly string[]): AddressRanges => {
  const ranges = cidrs.map((cidr) => {
    const range = parseRange(cidr);
    if (range === null) throw new RangeError(`not an address range: ${cidr}`);
    return range;
  });
  // One list per family: in a shared BlockList ::/0 would match IPv4 addresses.
  const ofIPv4 = blockList(ranges.filter(isRangeOfIPv4));
  const ofIPv6 = blockList(ranges.filter((range) => !isRangeOfIPv4(range)));
  return (text) => {
    const [address = ""] = text.split("%");
    if (isIP(address) === 0) return false;
    return (isOfIPv4(address) ? ofIPv4 : ofIPv6).check(address, familyOf(address));
  };
};

/** One address of each /8 that hosts on the Internet can have: of IPv4 unicast, and of 2000::/3. */
const PROBES = [
  Array.from({ length: 223 }, (_, n) => `${n + 1}.1.1.1`),
  Array.from({ length: 32 }, (_, n) => `${(0x2001 + n * 0x100).toString(16)}::1`),
];

/** Whether the ranges together hold a probe of each /8 of a family: then they exclude next to nobody. */
export const coverAllAddresses = (cidrs: readonly string[]): boolean => {
  const isInRanges = rangesOf(cidrs);
  return PROBES.some((addresses) => addresses.every(isInRanges));
};

export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || rangesOf(["127.0.0.0/8", "::1"])(host);
