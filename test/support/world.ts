import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../../dev/cluster/ports.mjs";
import { sharedCluster } from "./cluster.ts";
import { eventually } from "./eventually.ts";
import { SANDBOX } from "../../dev/main.mjs";
import { follow, readTopic, type Following, type TopicRecord } from "./follow-topics.ts";
import { produce, type Message } from "./produce.ts";
import { runProgram, startProgram, type ProgramResult, type Program } from "./program.ts";
import { startReplica, type Replica } from "./replica.ts";
import {
  ownNames,
  serveSettings,
  toolSettings,
  type Cluster,
  type Names,
  type Settings,
} from "./settings.ts";

/**
 * The environment of a test: topics and a group of its own, a sandbox, and replicas. `close` ends them all.
 */
export type World = Names & {
  brokers: string;
  sandboxUrl: string;
  /** For files; deleted at the end unless KEEP_LOGS is set. */
  folder: string;
  /** Calls the sandbox's control API: GET, or POST with a body. Rejects for any status but 2xx. */
  sandbox: <T>(path: string, body?: unknown) => Promise<T>;
  /** How often the sandbox has executed a quote, or all of them. */
  executions: (quoteId?: string) => Promise<number>;
  /** Resolves when the process runs; it is not ready yet. */
  startReplica: (settings?: Settings) => Promise<Replica>;
  /** Resolves when it is ready. */
  startReady: (settings?: Settings) => Promise<Replica>;
  /** Writes records with a producer of its own; resolves when all is written. */
  produce: (topic: string, messages: readonly Message[]) => Promise<void>;
  /** All records that a topic holds now. */
  read: (topic: string) => Promise<TopicRecord[]>;
  /** Collects every record of topics until the world is closed. */
  follow: (topics: readonly string[]) => Promise<Following>;
  /** Runs a command of the program to its end. */
  run: (args: readonly string[], settings?: Settings) => Promise<ProgramResult>;
  /** Starts a command that keeps running. */
  start: (args: readonly string[], settings?: Settings) => Promise<Program>;
  /** Registers something for `close`, which runs the last one first. */
  defer: (end: () => Promise<unknown>) => void;
  close: () => Promise<void>;
};

export type WorldOptions = {
  /** Default: the one that all tests share. */
  cluster?: Cluster;
  /** Override the default settings of replicas and tools. */
  settings?: Settings;
  sandboxArgs?: readonly string[];
  /** Whether to create topics and register schemas; default true. */
  setUp?: boolean;
};

/** Logs are deleted at the end unless KEEP_LOGS is set. */
const keepsLogs = (): boolean => process.env["KEEP_LOGS"] !== undefined;

export const openWorld = async ({
  cluster = sharedCluster(),
  settings = {},
  sandboxArgs = [],
  setUp = true,
}: WorldOptions = {}): Promise<World> => {
  const { kafkaBrokers: brokers } = cluster;
  const names = ownNames();
  const folder = await mkdtemp(join(tmpdir(), "cambio-bridge-world-"));
  const sandboxPort = await freePort();
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  const ofTools: Settings = {
    ...toolSettings(cluster, names),
    PARTNER_BASE_URL: sandboxUrl,
    ...settings,
  };
  const ofReplicas: Settings = { ...serveSettings, ...ofTools };

  const ends: (() => Promise<unknown>)[] = [
    () => (keepsLogs() ? Promise.resolve() : rm(folder, { recursive: true, force: true })),
  ];
  const close = async (): Promise<void> => {
    const problems: unknown[] = [];
    for (let end = ends.pop(); end !== undefined; end = ends.pop())
      await end().catch((problem: unknown) => problems.push(problem));
    if (problems.length > 0) throw problems[0];
    if (keepsLogs()) console.log(`logs are in ${folder}`);
  };

  let started = 0;
  const start = async (
    name: string,
    args: readonly string[],
    env: Settings,
    main?: string,
  ): Promise<Program> => {
    started += 1;
    const logFile = join(folder, `${started}-${name}.log`);
    const ownFolder = keepsLogs() ? undefined : folder;
    const program = await startProgram(args, env, {
      logFile,
      ownFolder,
      ...(main !== undefined && { main }),
    });
    ends.push(program.kill);
    return program;
  };
  const run: World["run"] = (args, more) => runProgram(args, { ...ofTools, ...more });

  /** While the shared cluster is busy it may give up, and can be run again. */
  const setUpTopics = async (): Promise<true> => {
    const { code, err } = await run(["setup"]);
    if (code !== 0 || err !== "") throw new Error(`setup ended with ${code}: ${err}`);
    return true;
  };

  const sandbox: World["sandbox"] = async <T>(path: string, body?: unknown): Promise<T> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(sandboxUrl + path, init);
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };

  try {
    await start("sandbox", ["--port", String(sandboxPort), ...sandboxArgs], ofReplicas, SANDBOX);
    if (setUp) await eventually(setUpTopics, "setup", 45_000);
    await eventually(() => sandbox("/_sandbox/executions"), "the sandbox", 10_000);
  } catch (error) {
    await close();
    throw error;
  }

  let replicas = 0;
  const startOne = (more?: Settings): Promise<Replica> => {
    const name = `replica-${++replicas}`;
    return startReplica(name, (args, ports) => start(name, args, { ...ofReplicas, ...ports, ...more }));
  };
  return {
    ...names,
    brokers,
    sandboxUrl,
    folder,
    sandbox,
    executions: async (quoteId) => {
      const path = quoteId === undefined ? "" : `/${encodeURIComponent(quoteId)}`;
      return (await sandbox<{ executions: number }>(`/_sandbox/executions${path}`)).executions;
    },
    produce: (topic, messages) => produce(brokers, topic, messages),
    read: (topic) => readTopic(brokers, topic),
    follow: async (topics) => {
      const following = await follow(brokers, topics);
      ends.push(following.stop);
      return following;
    },
    run,
    start: (args, more) => start(args[0] ?? "program", args, { ...ofTools, ...more }),
    startReplica: startOne,
    startReady: async (more) => {
      const replica = await startOne(more);
      await replica.untilReady();
      return replica;
    },
    defer: (end) => void ends.push(end),
    close,
  };
};

/** The same for one test: it ends with the test. */
export const openTestWorld = async (options?: WorldOptions): Promise<World> => {
  const world = await openWorld(options);
  onTestFinished(world.close);
  return world;
};
