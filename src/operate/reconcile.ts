import { periodOfDays } from "../log-to-events/period.ts";
import { reconcileOnce } from "../log-to-events/wire/runs.ts";
import { iso } from "../runtime/instant.ts";
import type { Actor } from "./actor.ts";
import { withAudit } from "./audit/audited.ts";
import type { Tools } from "./tools.ts";

/** `from` and `to`: days in São Paulo, YYYY-MM-DD, both included. */
type DaysRequest = { from: string; to: string; dryRun: boolean; force: boolean };

/** One run of reconcile. One that publishes what would be held back otherwise has an audit entry before it begins. */
export const reconcileDays = (tools: Tools, actor: Actor, { from, to, dryRun, force }: DaysRequest) => {
  const period = periodOfDays(from, to);
  const run = () => reconcileOnce(tools, { period, dryRun, force }, tools.stopped);
  if (dryRun || !force) return run();
  const parameters = { from: iso(period.fromMs), to: iso(period.toMs) };
  const action = { kind: "reconcile", subject: "reconcile", parameters } as const;
  return withAudit(tools, actor, async ({ act }) => {
    const { value } = await act(action, async () => {
      const report = await run();
      const { published, result } = report;
      return { value: report, outcome: { kind: "done", effect: { published, result } } };
    });
    return value;
  });
};
