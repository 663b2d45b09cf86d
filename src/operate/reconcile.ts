import { reconcileOnce, type RunOnce } from "../log-to-events/wire/runs.ts";
import { iso } from "../runtime/instant.ts";
import type { Actor } from "./actor.ts";
import { withAudit } from "./audit/audited.ts";
import type { Connections } from "./connections.ts";

/** A reconcile run that publishes what would be held back otherwise, with an audit entry before it begins. */
export const forceReconcile = (
  connections: Connections,
  actor: Actor,
  { period }: Pick<RunOnce, "period">,
  stopped: AbortSignal,
): ReturnType<typeof reconcileOnce> =>
  withAudit(connections, actor, stopped, async ({ act }) => {
    const { config, services } = connections;
    const parameters = { from: iso(period.fromMs), to: iso(period.toMs) };
    const action = { kind: "reconcile", subject: "reconcile", parameters } as const;
    const { value } = await act(action, async () => {
      const report = await reconcileOnce(config, services, { period, dryRun: false, force: true }, stopped);
      const { published, result } = report;
      return { value: report, outcome: { kind: "done", effect: { published, result } } };
    });
    return value;
  });
