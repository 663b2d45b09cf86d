import type { Replica } from "../../../console/ports.ts";
import type { FlowsStatus } from "../../operator/status.ts";

/**
 * The replicas, from the members of both consumer groups. Kafka gives only clientId and host of a member, so
 * replicas that share both may be confused.
 */
export const replicasOf = ({ commands, reconcile }: FlowsStatus, topic: string): Replica[] => {
  const nameOf = ({ clientId, host }: { clientId: string; host: string }): string => `${clientId}\n${host}`;
  const replicas = commands.members.map(({ clientId, host, partitions }) => ({
    clientId,
    host,
    partitions: [...(partitions[topic] ?? [])].sort((a, b) => a - b),
    isReconciling: false,
  }));
  const left = [...replicas];
  for (const member of reconcile.members) {
    const at = left.findIndex((replica) => nameOf(replica) === nameOf(member));
    if (at >= 0) left.splice(at, 1);
    else
      replicas.push({
        clientId: member.clientId,
        host: member.host,
        partitions: [],
        isReconciling: false,
      });
  }
  const { leader } = reconcile;
  const chosen = leader && replicas.find((replica) => nameOf(replica) === nameOf(leader));
  if (chosen) chosen.isReconciling = true;
  return replicas.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
};
