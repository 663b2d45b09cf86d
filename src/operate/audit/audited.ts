import { randomUUID } from "node:crypto";
import { bridgeSource } from "../../services/source.ts";
import { explainOutage } from "../../services/outage.ts";
import { withCluster } from "../../services/with-cluster.ts";
import { orderProblems } from "../../kafka/cluster/inspect.ts";
import type { Publisher } from "../../kafka/produce/publisher.ts";
import { messageOf, UsageError } from "../../runtime/errors.ts";
import type { RecordPosition } from "../../runtime/record-position.ts";
import { authorize, continueUnless, NothingDone, type Actor } from "../actor.ts";
import type { Connections, Warn } from "../connections.ts";
import { AUDIT_CONTENT_TYPE, auditEvent, type Action, type AuditEntry, type Outcome } from "./entry.ts";

const TIMEOUT_MS = 10_000;
const MAX_WAITING_BYTES = 16 * 1_048_576;

/** What an action returns, and the outcome that is written to the audit topic. */
export type ActionResult<T> = { value: T; outcome: Outcome };

/**
 * Writes an audit entry, does what a person asked for, then writes the outcome. There is no action without its
 * first entry. `act` gets the place of that entry; the result has the place of the outcome, null where it could
 * not be written: then `warn` is called, and the action stands.
 *
 * Throws Forbidden for a viewer, and a UsageError when the name or the note is missing, when the first entry cannot
 * be written, and when it was interrupted before: in all these cases nothing was done.
 */
export type Audited = <T>(
  actor: Actor,
  action: Action,
  act: (begun: RecordPosition, actionId: string) => Promise<ActionResult<T>>,
) => Promise<{ value: T; begun: RecordPosition; ended: RecordPosition | null }>;

const auditedBy =
  (write: (entry: AuditEntry) => Promise<RecordPosition>, warn: Warn, stopped: AbortSignal): Audited =>
  async (actor, action, act) => {
    authorize(actor);
    continueUnless(stopped);
    const actionId = randomUUID();
    const begun = await write({ actionId, actor, action, outcome: null }).catch((error: unknown) => {
      throw new UsageError(
        `Nothing was done, because it could not be written to the audit topic first (${messageOf(error)}): see that the topic can be written, then run it again.`,
        { cause: error },
      );
    });
    const end = (outcome: Outcome): Promise<RecordPosition | null> =>
      write({ actionId, actor, action, outcome }).catch((error: unknown) => {
        warn(`What came of it could not be written to the audit topic (${messageOf(error)}).`);
        return null;
      });
    try {
      continueUnless(stopped);
      const { value, outcome } = await act(begun, actionId);
      return { value, begun, ended: await end(outcome) };
    } catch (error) {
      await end({ kind: error instanceof NothingDone ? "refused" : "failed", reason: messageOf(error) });
      throw error;
    }
  };

const writerTo =
  ({ config, services }: Connections, publisher: Publisher) =>
  (entry: AuditEntry): Promise<RecordPosition> => {
    const source = bridgeSource(config);
    const event = auditEvent(entry, { id: randomUUID(), source, timeMs: services.clock.now() });
    const key = Buffer.from(entry.actionId);
    const headers = [["content-type", AUDIT_CONTENT_TYPE] as const];
    return publisher.publish({ key, value: Buffer.from(event), headers }, TIMEOUT_MS);
  };

/** The topic must order its entries, by Kafka's clock: its times tell which proposals still count. */
const checkTopic = async ({ config, services }: Connections): Promise<void> => {
  const topic = config.topics.audit;
  const found = await withCluster(services, (cluster) => cluster.find([topic]));
  const [problem] = orderProblems(config.topics, found);
  if (problem !== undefined) throw new UsageError(problem);
  const settings = found.get(topic)?.config;
  if (!settings)
    throw new UsageError(
      `Topic ${topic} does not exist, and nothing is done that cannot be written to it first: run \`cambio-bridge setup\`.`,
    );
  if ((settings["message.timestamp.type"] ?? "LogAppendTime") !== "LogAppendTime")
    throw new UsageError(
      `Topic ${topic} needs message.timestamp.type=LogAppendTime: nothing is done whose time cannot be trusted.`,
    );
};

/**
 * Opens the audit topic for the actions of `work`. A viewer is turned away before anything is asked. Throws a
 * UsageError where the topic does not exist.
 */
export const withAudit = async <T>(
  connections: Connections,
  actor: Actor,
  { warn, stopped }: { warn: Warn; stopped: AbortSignal },
  work: (audited: Audited) => Promise<T>,
): Promise<T> => {
  authorize(actor);
  const { config, services } = connections;
  const topic = config.topics.audit;
  await explainOutage(config, checkTopic(connections), stopped);
  const publisher = services.publisher(topic, {
    maxWaiting: 1_000,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sendTimeoutMs: TIMEOUT_MS,
  });
  try {
    return await work(auditedBy(writerTo(connections, publisher), warn, stopped));
  } finally {
    await publisher.close(TIMEOUT_MS);
  }
};
