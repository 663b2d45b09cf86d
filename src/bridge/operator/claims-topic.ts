import { createClaims, type Claims } from "../../operator/replay/claims.ts";
import { readClaimsEntry } from "../../operator/replay/claims-entry.ts";
import { followAudit, type Deps, type FollowedAudit } from "./follow-audit.ts";

/** What the audit topic says of replays, followed while it is open. */
export type ClaimsTopic = FollowedAudit & { claims: Claims };

/** Throws a UsageError when the audit topic does not say in which order and when its entries came. */
export const openClaims = async (deps: Deps): Promise<ClaimsTopic> => {
  const claims = createClaims();
  const followed = await followAudit(deps, {
    take: (text, at) => claims.take(readClaimsEntry(text, at)),
  });
  return { ...followed, claims };
};
