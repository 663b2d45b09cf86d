import kafkajs, { type Admin, type GroupDescription } from "kafkajs";
import type { Clock } from "../../runtime/clock.ts";
import { protocolErrorOf } from "../errors.ts";

/** A consumer group; `state` is Kafka's name for it. A member that is joining has no partitions. */
export type FoundGroup = {
  state: string;
  members: readonly {
    clientId: string;
    host: string;
    /** What it reads, and the text with which it joined. Absent where not known, as while the group rebalances. */
    joined?: { topics: readonly string[]; userData: string };
    partitions: Readonly<Record<string, readonly number[]>>;
  }[];
};

/**
 * The state of a group that Kafka calls "Dead" and lists all the same: a member joined with group.protocol=consumer.
 */
export const NEW_PROTOCOL = "NewProtocol";

/** What to say of such a group. */
export const NEW_PROTOCOL_SAID =
  "a program in it uses Kafka's new group protocol, as no bridge does, so that its members cannot be seen here: commands of the partitions that this program is given get no result";

const { MemberMetadata, MemberAssignment } = kafkajs.AssignerProtocol;

/** Null before the first assignment, and for a program that is no consumer: its bytes have another form. */
const joinedWith = (metadata: Buffer): { topics: readonly string[]; userData: string } | null => {
  try {
    const { topics, userData } = MemberMetadata.decode(metadata) ?? {};
    // Java's consumers send null, which kafkajs's types leave out.
    return topics === undefined ? null : { topics, userData: (userData as Buffer | null)?.toString() ?? "" };
  } catch {
    return null;
  }
};

export const foundGroup = ({ state, members }: GroupDescription): FoundGroup => ({
  state,
  members: members.map(({ clientId, clientHost, memberMetadata, memberAssignment }) => {
    const joined = joinedWith(memberMetadata);
    return {
      clientId,
      // Java formats an address as name/address.
      host: clientHost.replace(/^.*\//, ""),
      ...(joined && { joined }),
      // Empty before the first assignment: decodes to null.
      partitions: MemberAssignment.decode(memberAssignment)?.assignment ?? {},
    };
  }),
});

/** Rejects where Kafka does not answer. */
export const askGroup = async (
  admin: Pick<Admin, "describeGroups" | "listGroups">,
  groupId: string,
): Promise<FoundGroup> => {
  const [found] = (await admin.describeGroups([groupId])).groups;
  if (!found) throw new Error(`no group ${groupId} in the answer`);
  if (found.state !== "Dead") return foundGroup(found);
  const { groups } = await admin.listGroups();
  const isThere = groups.some((listed) => listed.groupId === groupId);
  return { state: isThere ? NEW_PROTOCOL : found.state, members: [] };
};

const TRIES = 6;
const AGAIN_AFTER_MS = 400;

/** Asks a group's coordinator again for two seconds: a new cluster has none at first, or one that is loading. */
export const askCoordinator = async <T>(clock: Pick<Clock, "sleep">, ask: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES || !/COORDINATOR/.test(protocolErrorOf(error))) throw error;
      await clock.sleep(AGAIN_AFTER_MS);
    }
  }
};
