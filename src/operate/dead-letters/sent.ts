import type { Incoming } from "../../kafka/record.ts";
import { objectOf } from "../../runtime/json.ts";
import { AUDIT_PARTITION, auditReading, readAuditEntry, textOrEmpty } from "../audit/entry.ts";
import { readTopic } from "../read-topic.ts";
import type { ToolServices } from "../tool-services.ts";
import type { DeadLetter } from "./letter.ts";

export type EarlierReplay = { by: string; atMs: number; where: string };

/** An announced letter does not count as sent: what a killed replay had announced may be sent once more. */
export const sentLetters = () => {
  const sent = new Map<string, EarlierReplay[]>();
  const announcers = new Map<string, string>();
  return {
    take: (record: Incoming): void => {
      const entry = readAuditEntry(record);
      if (entry?.action !== "replay") return;
      const { by, outcome, parameters } = entry;
      const announced = Array.isArray(parameters["letters"]) ? parameters["letters"].map(String) : [];
      for (const ref of announced)
        if (outcome === null) announcers.set(ref, by);
        else announcers.delete(ref);
      const letters = objectOf(objectOf(outcome?.["effect"])?.["letters"]) ?? {};
      for (const [ref, where] of Object.entries(letters)) {
        const before = sent.get(ref) ?? [];
        sent.set(ref, [...before, { by, atMs: record.timestampMs, where: textOrEmpty(where) }]);
      }
    },
    replays: (ref: string): readonly EarlierReplay[] => sent.get(ref) ?? [],
    /** Who announced it and has not said yet what came of it. */
    announcer: (ref: string): string | undefined => announcers.get(ref),
    /** Whoever announced a letter and was killed keeps nobody away. */
    forgetAnnounced: (): void => announcers.clear(),
  };
};

export type SentLetters = ReturnType<typeof sentLetters>;

/** Reads which of these letters were replayed. `next`: the offset up to which the audit topic was read. */
export const readSent = async (services: ToolServices, letters: readonly DeadLetter[]) => {
  const sent = sentLetters();
  if (letters.length === 0) return { sent, next: 0 };
  const nowMs = services.clock.now();
  // Nobody replayed a letter before it was written.
  const oldestMs = letters.reduce((oldest, { timestampMs }) => Math.min(oldest, timestampMs), nowMs);
  const ranges = await readTopic(services, auditReading(services, oldestMs), sent.take);
  sent.forgetAnnounced();
  return { sent, next: ranges.get(AUDIT_PARTITION)?.endOffset ?? 0 };
};
