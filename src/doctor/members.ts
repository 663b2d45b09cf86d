import type { Services } from "../services/services.ts";
import type { Config } from "../config/config.ts";
import { NEW_PROTOCOL, NEW_PROTOCOL_SAID, type FoundGroup } from "../kafka/cluster/found-group.ts";
import { askCoordinator } from "../kafka/cluster/coordinator.ts";
import { MEMBER_OF_BRIDGE } from "../kafka/consume/group.ts";
import { isRequestRefused } from "../kafka/errors.ts";
import { counted } from "../runtime/counted.ts";
import { fail, ok, type Bounds, type Check } from "./check.ts";

type Member = FoundGroup["members"][number];

/** Replicas of an older version say nothing when they join. They have our client id. */
const isBridge = ({ clientId, joined }: Member, config: Config): boolean =>
  joined === undefined || joined.userData === MEMBER_OF_BRIDGE || clientId === config.kafka.clientId;

const reads = ({ joined }: Member): string => joined?.topics.join(", ") ?? "";

const OTHER_GROUP =
  "give that program another group, or the bridge another KAFKA_GROUP_ID before its first start";

/**
 * Checks that no other program is a member of the commands' group: it would be given partitions, and their commands.
 */
export const checkMembers = async (
  config: Config,
  services: Services,
  { clock, signal }: Bounds,
): Promise<Check[]> => {
  const { groupId } = config.kafka;
  const name = `group ${groupId}`;
  const cluster = await clock.within(6_000, signal, services.connectCluster());
  try {
    const { state, members } = await askCoordinator(clock, () => cluster.group(groupId));
    if (state === NEW_PROTOCOL)
      return [
        fail(name, NEW_PROTOCOL_SAID, `see \`kafka-consumer-groups --describe --members\`; ${OTHER_GROUP}`),
      ];
    const strangers = members.filter((member) => !isBridge(member, config));
    if (strangers.length === 0)
      return [
        ok(name, members.length === 0 ? "has no member now" : `has ${counted(members.length, "member")}`),
      ];
    return strangers.map((member) =>
      fail(
        name,
        `a member is no bridge (client id ${member.clientId}, host ${member.host}, reads ${reads(member)}): commands of the partitions that it is given get no result`,
        OTHER_GROUP,
      ),
    );
  } catch (error) {
    // `rights` says so.
    if (isRequestRefused(error)) return [];
    throw error;
  } finally {
    void cluster.close();
  }
};
