import { createClaims } from "../../../operator/replay/claims.ts";
import { readClaimsEntry } from "../../../operator/replay/claims-entry.ts";
import { refOf, type DeadLetter } from "../../../operator/replay/dead-letter.ts";
import { iso } from "../../../runtime/instant.ts";
import type { LetterDeps } from "../../operator/dead-letters.ts";
import { AUDIT_PARTITION } from "../../operator/follow-audit.ts";
import { scanRanges } from "../../scan-ranges.ts";
import { clampInstant, rangesOf } from "../ranges.ts";

/** About a year of audit entries. */
const MAX_ENTRIES = 100_000;
/** Claims of one letter that are followed. */
const MAX_FOLLOWED = 100;
/** The writer of the letter sets its time, and the broker that of an audit entry. */
const CLOCK_SKEW_MS = 3_600_000;

/**
 * The replays of a letter as sentences, from the audit topic since the letter was written. Keeps only this
 * letter's entries.
 */
export const replaysOf = async (deps: LetterDeps, letter: DeadLetter): Promise<string[]> => {
  const topic = deps.config.topics.audit;
  const since = await rangesOf(deps.cluster, topic, clampInstant(letter.timestampMs - CLOCK_SKEW_MS));
  const { startOffset = 0, endOffset = 0 } = since.get(AUDIT_PARTITION) ?? {};
  const from = Math.max(startOffset, endOffset - MAX_ENTRIES);
  const ref = refOf(letter.place);
  const named = Buffer.from(JSON.stringify(ref));
  const claims = createClaims();
  const ends: Buffer[] = [];
  const ranges = new Map([[AUDIT_PARTITION, { startOffset: from, endOffset }]]);
  await scanRanges(deps, { topic, purpose: "console", ranges }, ({ value, offset, timestampMs }) => {
    // The end of a refused claim names the actionId, not the letter.
    if (!value || ![named, ...ends].some((bytes) => value.includes(bytes))) return;
    const entry = readClaimsEntry(value.toString("utf8"), { offset, timestampMs });
    claims.take(entry);
    if (entry.kind === "claim" && ends.length < MAX_FOLLOWED)
      ends.push(Buffer.from(JSON.stringify(entry.claim.actionId)));
  });
  const now = { offset: Infinity, atMs: deps.services.clock.now() };
  const standing = claims.standing(ref, now);
  return [
    ...(from > startOffset
      ? [`Only the last ${MAX_ENTRIES} entries of ${topic} were looked at: it may have been replayed before.`]
      : []),
    ...claims.sent(ref).map(({ by, atMs, where }) => `Replayed ${iso(atMs)} by ${by}: ${where}.`),
    ...(standing.kind === "atWork"
      ? [`A replay by ${standing.by} has been under way since ${iso(standing.atMs)}.`]
      : []),
    ...(standing.kind === "unsettled"
      ? standing.claims.map(
          ({ by, atMs }) =>
            `A replay by ${by}, begun ${iso(atMs)}, did not end: it may have been sent. The next replay looks it up.`,
        )
      : []),
  ];
};
