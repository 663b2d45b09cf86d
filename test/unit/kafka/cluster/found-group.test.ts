import { AssignerProtocol } from "kafkajs";
import { expect, test } from "vitest";
import { foundGroup } from "../../../../src/kafka/cluster/found-group.ts";

const { MemberMetadata } = AssignerProtocol;
const found = (memberMetadata: Buffer) => {
  const member = { memberId: "m", clientId: "c", clientHost: "host/10.0.0.1", memberMetadata };
  const { members } = foundGroup({
    groupId: "g",
    protocol: "",
    protocolType: "consumer",
    state: "Stable",
    members: [{ ...member, memberAssignment: Buffer.alloc(0) }],
  });
  return members[0];
};

test("a member says what it reads, and with which text it joined", () => {
  const metadata = MemberMetadata.encode({ version: 0, topics: ["t"], userData: Buffer.from("mark") });
  expect(found(metadata)).toEqual({
    clientId: "c",
    host: "10.0.0.1",
    joined: { topics: ["t"], userData: "mark" },
    partitions: {},
  });
});

test("a consumer of Java joins without such a text", () => {
  const metadata = MemberMetadata.encode({ version: 0, topics: ["t"], userData: Buffer.alloc(0) });
  metadata.writeInt32BE(-1, metadata.length - 4);
  expect(found(metadata)?.joined).toEqual({ topics: ["t"], userData: "" });
});

test.each([
  ["nothing, before the first assignment", Buffer.alloc(0)],
  ["what is no consumer's", Buffer.from([0, 1, 0x7f, 0xff, 0xff, 0xff, 1])],
])("%s is not known, and the member is there all the same", (_, metadata) => {
  expect(found(metadata)).toEqual({ clientId: "c", host: "10.0.0.1", partitions: {} });
});
