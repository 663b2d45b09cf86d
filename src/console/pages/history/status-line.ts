import type { StatusSeen } from "../../ports.ts";

/** A place on the line. `seen`: empty for a status of the main flow that did not come, or not yet. */
export type Stop = { status: string; isMain: boolean; seen: readonly StatusSeen[]; isLatest: boolean };

const happenedMs = ({ occurredAtMs, receivedAtMs }: StatusSeen): number => occurredAtMs ?? receivedAtMs;

/** The main flow as a line, with what is beside it where it happened: behind the furthest place that was reached before. */
export const flowLine = (mainFlow: readonly string[], statuses: readonly StatusSeen[]): readonly Stop[] => {
  const inTime = [...statuses].sort((a, b) => happenedMs(a) - happenedMs(b));
  const latest = inTime.at(-1);
  const beside = new Map<number, Map<string, StatusSeen[]>>();
  let furthest = -1;
  for (const seen of inTime) {
    const place = mainFlow.indexOf(seen.status);
    furthest = Math.max(furthest, place);
    if (place >= 0) continue;
    const here = beside.get(furthest) ?? new Map<string, StatusSeen[]>();
    beside.set(furthest, here.set(seen.status, [...(here.get(seen.status) ?? []), seen]));
  }
  const besideAt = (index: number): Stop[] =>
    [...(beside.get(index) ?? [])].map(([status, seen]) => ({
      status,
      isMain: false,
      seen,
      isLatest: latest !== undefined && seen.includes(latest),
    }));
  return [
    ...besideAt(-1),
    ...mainFlow.flatMap((status, index) => {
      const seen = inTime.filter((one) => one.status === status);
      const isLatest = latest !== undefined && seen.includes(latest);
      return [{ status, isMain: true, seen, isLatest }, ...besideAt(index)];
    }),
  ];
};
