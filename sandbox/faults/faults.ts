import type { Operation } from "../types.ts";
import { isNotificationFault, type FaultMatch, type FaultRule, type RequestFault } from "./fault-rules.ts";

type InstalledFault = FaultRule & { faultId: string; matched: number; hits: number };

/** What a match is compared with; a request and a notification have different parts of it. */
type FaultTarget = Partial<Record<keyof FaultMatch, string | undefined>> & {
  operation: Operation | "notification" | null;
};

const fits = (name: string, pattern: string, text: string): boolean => {
  if (name === "body" || name === "query") return text.includes(pattern);
  return pattern.endsWith("*") ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
};

const matches = (match: FaultMatch, target: Readonly<Record<string, string | null | undefined>>): boolean =>
  Object.entries(match).every(([name, pattern]) => {
    const text = target[name] ?? null;
    return text !== null && fits(name, pattern, text);
  });

export const createFaults = () => {
  let installed: InstalledFault[] = [];
  let added = 0;

  const hits = (rule: InstalledFault, target: FaultTarget): boolean => {
    const concerns =
      rule.operation === target.operation ||
      (rule.operation === "any" && target.operation !== "notification");
    if (!concerns || (rule.count !== null && rule.hits >= rule.count)) return false;
    if (!matches(rule.match, target)) return false;
    rule.matched += 1;
    if (rule.matched <= rule.skip || Math.random() >= rule.probability) return false;
    rule.hits += 1;
    return true;
  };

  return {
    add: (rule: FaultRule): InstalledFault => {
      added += 1;
      const faultId = `fault-${added}`;
      const installedRule = { ...rule, faultId, matched: 0, hits: 0 };
      installed.push(installedRule);
      return installedRule;
    },
    list: (): readonly InstalledFault[] => installed,
    clear: () => {
      installed = [];
    },
    /** The faults of this request: the latencies of all matching rules, and the first other fault. */
    forRequest: (target: FaultTarget) => {
      const faults: RequestFault[] = [];
      let decided = false;
      for (const rule of installed) {
        const { fault } = rule;
        // A later rule is not evaluated: this request must not use up its count.
        if (isNotificationFault(fault) || (decided && fault.kind !== "latency") || !hits(rule, target))
          continue;
        decided ||= fault.kind !== "latency";
        faults.push(fault);
      }
      return faults;
    },
    forNotification: (target: FaultTarget) =>
      installed.flatMap((rule) =>
        isNotificationFault(rule.fault) && hits(rule, target) ? [rule.fault] : [],
      ),
  };
};

export type Faults = ReturnType<typeof createFaults>;
