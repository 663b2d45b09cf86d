import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** Whether an IP address, as text, lies in one of the ranges. False for text that is no IP address. */
export type Ranges = (address: string) => boolean;

const MAPPED_BITS = 96;
const MAPPED_DOTTED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;
const MAPPED_HEX = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The canonical form of an IPv6 address, as the URL parser writes it. Drops the zone, which the parser does
 * not accept.
 */
const canonicalIPv6 = (text: string): string =>
  new URL(`http://[${text.split("%", 1)[0] ?? ""}]`).hostname.slice(1, -1);

/**
 * An address in canonical form, without a zone; an IPv4-mapped IPv6 address as IPv4. Null for text that is no
 * address.
 */
const plainAddress = (text: string): string | null => {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return null;
  const canonical = canonicalIPv6(text);
  const dotted = MAPPED_DOTTED.exec(canonical)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = MAPPED_HEX.exec(canonical);
  if (hex === null) return canonical;
  const bits = [hex[1], hex[2]].map((group) => parseInt(group ?? "", 16));
  return bits.flatMap((word) => [word >> 8, word & 255]).join(".");
};

type Range = { address: string; family: "ipv4" | "ipv6"; prefixBits: number };

const parseRange = (text: string): Range | null => {
  const [given, bits, ...rest] = text.split("/");
  if (given === undefined || rest.length > 0 || given.includes("%") || isIP(given) === 0) return null;
  const maxBits = isIPv4(given) ? 32 : 128;
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return null;
  const prefixBits = bits === undefined ? maxBits : Number(bits);
  if (prefixBits > maxBits) return null;
  const plain = plainAddress(given);
  if (plain === null) return null;
  const wasMapped = maxBits === 128 && isIPv4(plain);
  // A range that is wider than ::ffff:0:0/96 also holds addresses that are not IPv4-mapped.
  if (wasMapped && prefixBits < MAPPED_BITS)
    return { address: canonicalIPv6(given), family: "ipv6", prefixBits };
  return wasMapped
    ? { address: plain, family: "ipv4", prefixBits: prefixBits - MAPPED_BITS }
    : { address: plain, family: isIPv4(plain) ? "ipv4" : "ipv6", prefixBits };
};

/** Whether the text is a range such as `10.0.0.0/8` or `2001:db8::/32`, or a single address. */
export const isCidr = (text: string): boolean => parseRange(text) !== null;

/**
 * IPv4 ranges match IPv4-mapped IPv6 addresses; IPv6 ranges never match IPv4 addresses.
 * @throws RangeError for a range that {@link isCidr} refuses
 */
export const rangesOf = (cidrs: readonly string[]): Ranges => {
  // One list per family: in a shared BlockList ::/0 would match IPv4 addresses.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const range = parseRange(cidr);
    if (range === null) throw new RangeError(`not an address range: ${cidr}`);
    lists[range.family].addSubnet(range.address, range.prefixBits, range.family);
  }
  return (address) => {
    const plain = plainAddress(address);
    if (plain === null) return false;
    const family = isIPv4(plain) ? "ipv4" : "ipv6";
    return lists[family].check(plain, family);
  };
};

type Span = { from: bigint; to: bigint };

/** A canonical address as a number. */
const numberOf = (address: string): bigint => {
  if (isIPv4(address)) return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [left = [], right = []] = address.split("::").map((half) => half.split(":").filter((group) => group));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
};

const spanOf = ({ address, family, prefixBits }: Range): Span => {
  const size = 1n << BigInt((family === "ipv4" ? 32 : 128) - prefixBits);
  const from = (numberOf(address) / size) * size;
  return { from, to: from + size - 1n };
};

/** The addresses that a host on the Internet can have: IPv4 unicast, and IPv6 global unicast (2000::/3). */
const ASSIGNABLE: Readonly<Record<Range["family"], Span>> = {
  ipv4: { from: 1n << 24n, to: (224n << 24n) - 1n },
  ipv6: { from: 1n << 125n, to: (1n << 126n) - 1n },
};

/**
 * Whether the ranges together cover every assignable address of a family. An allow-list of such ranges
 * excludes nobody.
 */
export const coverAllAddresses = (cidrs: readonly string[]): boolean => {
  const ranges = cidrs.map(parseRange).filter((range) => range !== null);
  return (["ipv4", "ipv6"] as const).some((family) => {
    const spans = ranges.filter((range) => range.family === family).map(spanOf);
    spans.sort((a, b) => (a.from < b.from ? -1 : 1));
    const { from: first, to: last } = ASSIGNABLE[family];
    let next = first;
    for (const { from, to } of spans) if (from <= next && to >= next) next = to + 1n;
    return next > last;
  });
};

/** Whether a listener bound to this host is reachable from its own machine only. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || rangesOf(["127.0.0.0/8", "::1"])(host);
