import type { PublishedStatus } from "../../ports.ts";

/** A stop on the line. `seen`: its events; empty for a status of the main flow that has not come. */
export type Stop = { status: string; isMain: boolean; seen: readonly PublishedStatus[]; isLatest: boolean };

const happenedMs = ({ occurredAtMs, receivedAtMs }: PublishedStatus): number => occurredAtMs ?? receivedAtMs;

/** The main flow as a line. Other statuses come after the furthest stop that was reached before them. */
export const statusLine = (
  mainFlow: readonly string[],
  statuses: readonly PublishedStatus[],
): readonly Stop[] => {
  const inTime = [...statuses].sort((a, b) => happenedMs(a) - happenedMs(b));
  const latest = inTime.at(-1);
  const beside = new Map<number, Map<string, PublishedStatus[]>>();
  let furthest = -1;
  for (const seen of inTime) {
    const place = mainFlow.indexOf(seen.status);
    furthest = Math.max(furthest, place);
    if (place >= 0) continue;
    const here = beside.get(furthest) ?? new Map<string, PublishedStatus[]>();
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
