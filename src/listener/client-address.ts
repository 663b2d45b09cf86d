import type { AddressRanges } from "../runtime/cidr.ts";

const BRACKETED = /^\[([^\]]+)\](?::\d+)?$/;
const DOTTED_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;

const withoutPort = (hop: string) => BRACKETED.exec(hop)?.[1] ?? DOTTED_WITH_PORT.exec(hop)?.[1] ?? hop;

/** The first hop from the right that is no trusted proxy; if all are, the leftmost. Hops further left may be forged. */
export const clientAddress = (
  peerAddress: string,
  forwardedFor: string | null | undefined,
  isTrustedProxy: AddressRanges,
): string => {
  let client = peerAddress;
  if (!isTrustedProxy(client)) return client;
  const hops = forwardedFor?.split(",") ?? [];
  for (const hop of hops.reverse()) {
    client = withoutPort(hop.trim());
    if (!isTrustedProxy(client)) break;
  }
  return client;
};
