import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { startInDocker } from "../../../dev/cluster/docker.mjs";

let folder: string;
const calls = async () => (await readFile(join(folder, "calls"), "utf8")).trim().split("\n");

/** A `docker` that writes down what it was asked to do, and with which ports. */
const pretendDocker = async (exitCodeOfUp: number) => {
  const script = `#!/bin/sh
echo "$LOCAL_KAFKA_PORT $LOCAL_REGISTRY_PORT $*" >> "${join(folder, "calls")}"
case "$*" in *" up "*) echo "no space left"; exit ${exitCodeOfUp};; esac
`;
  await writeFile(join(folder, "docker"), script);
  await chmod(join(folder, "docker"), 0o755);
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "docker-test-"));
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"] ?? ""}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

it("starts Kafka and registry of the compose file on free ports, and takes them down", async () => {
  await pretendDocker(0);
  const cluster = await startInDocker(() => undefined);
  const [up] = await calls();
  expect(up).toMatch(/ compose -f \S+docker-compose\.yml -p \S+ up --detach --wait kafka registry$/);
  const [kafkaPort, registryPort] = (up ?? "").split(" ");
  expect(cluster.bootstrapServers).toBe(`127.0.0.1:${kafkaPort ?? "?"}`);
  expect(cluster.registryUrl).toBe(`http://127.0.0.1:${registryPort ?? "?"}/apis/ccompat/v7`);

  await cluster.stop();
  const project = /-p (\S+)/.exec(up ?? "")?.[1] ?? "?";
  expect((await calls())[1]).toContain(` -p ${project} down --volumes`);
});

it("takes down what did start when the rest does not, and says what Docker said", async () => {
  await pretendDocker(1);
  await expect(startInDocker(() => undefined)).rejects.toThrow("no space left");
  expect((await calls())[1]).toContain(" down ");
});
