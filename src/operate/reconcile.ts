import { periodOfDays } from "../log-to-events/period.ts";
import { reconcileOnce } from "../log-to-events/wire/runs.ts";
import { iso } from "../runtime/instant.ts";
import type { Services } from "../kafka/wire/services.ts";
import type { Actor } from "./actor.ts";
import { withAudit } from "./audit/audited.ts";
import type { ToolServices } from "./tool-services.ts";

/** Days in São Paulo, YYYY-MM-DD, both included. */
type Days = { from: string; to: string };

export type AuditedReport = Awaited<ReturnType<typeof reconcileOnce>>;

/** A reconcile run that publishes what is missing. */
export const reconcileDays = (
  services: Services,
  { from, to }: Days,
  stopped: AbortSignal,
): Promise<AuditedReport> =>
  reconcileOnce(services, { period: periodOfDays(from, to), dryRun: false, force: false }, stopped);

/** Says what such a run would publish; with `force`, what a forced one would. */
export const dryReconcile = (
  services: Services,
  { from, to }: Days,
  force: boolean,
  stopped: AbortSignal,
): Promise<AuditedReport> =>
  reconcileOnce(services, { period: periodOfDays(from, to), dryRun: true, force }, stopped);

/** One that publishes what would be held back otherwise, with an audit entry before it begins. */
export const forceReconcile = (
  services: ToolServices,
  actor: Actor,
  { from, to }: Days,
  stopped: AbortSignal,
): Promise<AuditedReport> =>
  withAudit(services, actor, stopped, async ({ act }) => {
    const period = periodOfDays(from, to);
    const parameters = { from: iso(period.fromMs), to: iso(period.toMs) };
    const action = { kind: "reconcile", subject: "reconcile", parameters } as const;
    const { value } = await act(action, async () => {
      const report = await reconcileOnce(services, { period, dryRun: false, force: true }, stopped);
      const { published, result } = report;
      return { value: report, outcome: { kind: "done", effect: { published, result } } };
    });
    return value;
  });
