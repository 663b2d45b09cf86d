import dns from "node:dns";
import type { LookupFunction } from "node:net";
import type { Clock } from "../../runtime/clock.ts";

/** A wrong address costs a connection that fails, never a call. */
const KEEP_MS = 5_000;

type Addresses = dns.LookupAddress[];

/**
 * Resolves a name as the system does, and keeps the answer for a few seconds. To ask for each connection costs a call 12 % more processor
 * time even if the name stands in /etc/hosts, and otherwise round trips to a name server, of which the process makes four at a time.
 * @returns for sockets that choose among all addresses
 */
export const cachedLookup = ({
  clock,
  resolve = (host) => dns.promises.lookup(host, { all: true }),
}: {
  clock: Pick<Clock, "monotonic">;
  resolve?: (host: string) => Promise<Addresses>;
}): LookupFunction => {
  let kept: { host: string; until: number; addresses: Promise<Addresses> } | null = null;

  return (host, _, callback) => {
    const now = clock.monotonic();
    if (kept?.host !== host || now >= kept.until) {
      kept = { host, until: now + KEEP_MS, addresses: resolve(host) };
      kept.addresses.catch(() => (kept = null));
    }
    kept.addresses.then(
      (addresses) => callback(null, addresses),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
};
