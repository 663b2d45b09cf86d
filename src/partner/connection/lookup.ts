import dns from "node:dns";
import type { LookupFunction } from "node:net";
import type { Clock } from "../../runtime/clock.ts";

/** A name is asked for anew after so long. A wrong address costs a connection that fails, never a call. */
const KEEP_MS = 5_000;

type Addresses = dns.LookupAddress[];

/**
 * Resolves names as the system does, and remembers the answer for a few seconds: every call opens a connection, and the system's
 * resolver has four threads for the whole process.
 */
export const lookupFor = ({
  clock,
  resolve = (host) => dns.promises.lookup(host, { all: true }),
}: {
  clock: Pick<Clock, "monotonic">;
  resolve?: (host: string) => Promise<Addresses>;
}): LookupFunction => {
  const known = new Map<string, { until: number; answer: Promise<Addresses> }>();

  const addressesOf = (host: string): Promise<Addresses> => {
    const now = clock.monotonic();
    const kept = known.get(host);
    if (kept && now < kept.until) return kept.answer;
    const answer = resolve(host);
    known.set(host, { until: now + KEEP_MS, answer });
    answer.catch(() => known.delete(host));
    return answer;
  };

  return (host, { all }, callback) => {
    addressesOf(host).then(
      (addresses) => {
        const [first] = addresses;
        if (all) callback(null, addresses);
        else if (first) callback(null, first.address, first.family);
        else callback(Object.assign(new Error(`no address for ${host}`), { code: "ENOTFOUND" }), "");
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), "");
      },
    );
  };
};
