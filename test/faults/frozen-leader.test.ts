import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { endChild, startChild } from "../../dev/child.mjs";
import { sharedCluster } from "../support/cluster.ts";
import { eventually } from "../support/eventually.ts";
import { createTopic } from "../support/kafka.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SESSION_MS = 6_000;
const PROGRAM = fileURLToPath(new URL("../support/election-candidate.ts", import.meta.url));

/** Two candidates, each a process of its own, of which one works already. */
const twoCandidates = async () => {
  const { kafkaBrokers: brokers } = sharedCluster();
  const topic = await createTopic(brokers, 6);
  const folder = temporaryFolder();
  const options = JSON.stringify({ brokers, topic, groupId: topic, sessionTimeoutMs: SESSION_MS });
  const start = async (name: string) => {
    const said: { what: string; at: number }[] = [];
    const child = await startChild([process.execPath, PROGRAM, options], {
      logFile: join(folder, `${name}.log`),
      ownFolder: folder,
      onLine: (line) => {
        const [what = "", at] = line.split(" ");
        said.push({ what, at: Number(at) });
      },
    });
    const kill = async (): Promise<void> => {
      if (!child.isRunning()) return;
      child.signal("SIGCONT");
      await endChild(child, "SIGKILL");
    };
    onTestFinished(kill);
    return { ...child, said, lastSaid: () => said.at(-1)?.what };
  };
  const both = [await start("a"), await start("b")] as const;
  const [a, b] = both;
  await eventually(
    () =>
      both.every(({ said }) => said.some(({ what }) => what === "joined")) &&
      (a.lastSaid() === "works") !== (b.lastSaid() === "works"),
    "one of two to work",
    60_000,
  );
  return a.lastSaid() === "works" ? { leader: a, other: b } : { leader: b, other: a };
};

it("another replica works within two session timeouts after the leader froze", async () => {
  const { leader, other } = await twoCandidates();
  const wasWorking = other.said.length;
  leader.signal("SIGSTOP");
  await eventually(() => other.said.length > wasWorking, "the other one to work", 2 * SESSION_MS);

  const before = leader.said.length;
  leader.signal("SIGCONT");
  await eventually(() => leader.said.length > before, "the frozen one to wake");
  // It does nothing more of what it was at, and goes back into the group as anybody.
  expect(leader.said[before]?.what).toBe("ended");
  await eventually(
    () => (leader.lastSaid() === "works") !== (other.lastSaid() === "works"),
    "one of two to work",
    2 * SESSION_MS,
  );
});
