import kafkajs, { type GroupDescription } from "kafkajs";

/** A consumer group; `state` is Kafka's name for it. A member that is joining has no partitions. */
export type FoundGroup = {
  state: string;
  members: readonly {
    clientId: string;
    host: string;
    /** What it reads, and the text with which it joined. Absent while the group rebalances. */
    joined?: { topics: readonly string[]; userData: string };
    partitions: Readonly<Record<string, readonly number[]>>;
  }[];
};

const { MemberMetadata, MemberAssignment } = kafkajs.AssignerProtocol;

export const foundGroup = ({ state, members }: GroupDescription): FoundGroup => ({
  state,
  members: members.map(({ clientId, clientHost, memberMetadata, memberAssignment }) => {
    // Both are empty before the first assignment.
    const metadata = memberMetadata.length > 0 ? MemberMetadata.decode(memberMetadata) : null;
    return {
      clientId,
      // Java formats an address as name/address.
      host: clientHost.replace(/^.*\//, ""),
      ...(metadata && { joined: { topics: metadata.topics, userData: metadata.userData.toString() } }),
      partitions: MemberAssignment.decode(memberAssignment)?.assignment ?? {},
    };
  }),
});
