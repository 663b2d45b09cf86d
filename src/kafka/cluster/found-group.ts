import kafkajs, { type GroupDescription } from "kafkajs";

/** A consumer group; `state` is Kafka's name for it. A member that is joining has no partitions. */
export type FoundGroup = {
  state: string;
  members: readonly {
    clientId: string;
    host: string;
    /** What it reads, and the text with which it joined. Absent where that is not known, as while the group rebalances. */
    joined?: { topics: readonly string[]; userData: string };
    partitions: Readonly<Record<string, readonly number[]>>;
  }[];
};

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
