import { randomFrom, type Random } from "../runtime/random.ts";
import type { Operation } from "../types.ts";
import { isNotificationFault } from "./fault-rules.ts";
import type { FaultMatch, FaultRule, NotificationFault, RequestFault } from "./fault-rules.ts";

export type InstalledFault = FaultRule & { faultId: string; matched: number; hits: number };

export type FaultSubject = {
  operation: Operation | "notification" | null;
  quoteId?: string | undefined;
  path?: string | undefined;
  query?: string | undefined;
  url?: string | undefined;
  transactionId?: string | undefined;
  status?: string | undefined;
  body?: string | undefined;
  rawHeaders?: readonly string[] | undefined;
};

export type Faults = {
  add(rule: FaultRule): InstalledFault;
  /** Whether there are rules at all. */
  any(): boolean;
  list(): readonly InstalledFault[];
  remove(faultId: string): boolean;
  clear(): void;
  /** What is to go wrong with this request: the latencies of all rules that hit, and the first other fault. */
  forRequest(subject: FaultSubject): RequestFault[];
  /** What is to go wrong with this notification, with the rule each comes from. */
  forNotification(subject: FaultSubject): { faultId: string; fault: NotificationFault }[];
};

const fits = (pattern: string, text: string | undefined): boolean =>
  text !== undefined && (pattern.endsWith("*") ? text.startsWith(pattern.slice(0, -1)) : text === pattern);

const headerOf = (rawHeaders: readonly string[], name: string): string | undefined => {
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === name) return rawHeaders[at + 1];
  return undefined;
};

const matches = (match: FaultMatch, subject: FaultSubject): boolean => {
  for (const name of ["quoteId", "path", "url", "transactionId", "status"] as const) {
    const pattern = match[name];
    if (pattern !== undefined && !fits(pattern, subject[name])) return false;
  }
  for (const name of ["body", "query"] as const)
    if (match[name] !== undefined && !subject[name]?.includes(match[name])) return false;
  return Object.entries(match.header ?? {}).every(([name, pattern]) =>
    fits(pattern, headerOf(subject.rawHeaders ?? [], name)),
  );
};

export const createFaults = (seed: string): Faults => {
  let installed: { rule: InstalledFault; dice: Random }[] = [];
  let added = 0;

  const hits = ({ rule, dice }: { rule: InstalledFault; dice: Random }, subject: FaultSubject): boolean => {
    const concerns =
      rule.operation === subject.operation ||
      (rule.operation === "any" && subject.operation !== "notification");
    if (!concerns || (rule.count !== null && rule.hits >= rule.count)) return false;
    if (!matches(rule.match, subject)) return false;
    rule.matched += 1;
    if (rule.matched <= rule.skip || dice() >= rule.probability) return false;
    rule.hits += 1;
    return true;
  };

  return {
    add: (rule) => {
      added += 1;
      const faultId = `fault-${added}`;
      const installedRule = { ...rule, faultId, matched: 0, hits: 0 };
      installed.push({ rule: installedRule, dice: randomFrom(seed, faultId) });
      return installedRule;
    },
    any: () => installed.length > 0,
    list: () => installed.map(({ rule }) => rule),
    remove: (faultId) => {
      const before = installed.length;
      installed = installed.filter(({ rule }) => rule.faultId !== faultId);
      return installed.length < before;
    },
    clear: () => {
      installed = [];
    },
    forRequest: (subject) => {
      const faults: RequestFault[] = [];
      let decided = false;
      for (const entry of installed) {
        const { fault } = entry.rule;
        // A rule that comes second is not asked: its count and dice are for a request of its own.
        if (isNotificationFault(fault) || (decided && fault.kind !== "latency") || !hits(entry, subject))
          continue;
        decided ||= fault.kind !== "latency";
        faults.push(fault);
      }
      return faults;
    },
    forNotification: (subject) =>
      installed.flatMap((entry) => {
        const { faultId, fault } = entry.rule;
        return isNotificationFault(fault) && hits(entry, subject) ? [{ faultId, fault }] : [];
      }),
  };
};
