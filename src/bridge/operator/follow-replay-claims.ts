import { createClaims, type Claims } from "../../operator/replay/claims.ts";
import { readClaimsEntry } from "../../operator/replay/claims-entry.ts";
import { followAudit, type Deps, type FollowedAudit } from "./follow-audit.ts";

/** Which dead letters were replayed, by the audit topic, which is followed until `close`. */
export type FollowedReplayClaims = FollowedAudit & { claims: Claims };

/** Throws a UsageError if the audit topic does not order its entries: one partition, LogAppendTime. */
export const followReplayClaims = async (deps: Deps): Promise<FollowedReplayClaims> => {
  const claims = createClaims();
  const followed = await followAudit(deps, {
    take: (text, at) => claims.take(readClaimsEntry(text, at)),
  });
  return { ...followed, claims };
};
