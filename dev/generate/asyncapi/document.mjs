// docs/asyncapi.yaml: the topics and their messages. Schemas, names and settings come from the bridge's own code.
import { readFileSync } from "node:fs";
import { stringify } from "yaml";
import { KAFKA, messages } from "./messages.mjs";

/** @typedef {import("../../../src/kafka/cluster/topics.ts")} Topics */
/** @typedef {Topics["topicPlans"] extends (names: infer N) => unknown ? keyof N : never} Role */
/** @typedef {import("../../../src/config/load.ts")} Load */

/** What each topic is for, and the messages in it. @type {Record<Role, { description: string, messages: string[] }>} */
const CHANNELS = {
  transactionStatus: {
    description:
      "Status changes of transactions, from webhooks and from the partner's log. Records can repeat: compare eventId.",
    messages: ["TransactionStatusUpdated"],
  },
  commands: { description: "Commands for the bridge to execute.", messages: ["Command", "JsonCommand"] },
  results: {
    description:
      "One final result for each command. One IN_DOUBT may come before it; ignore that one once the final result is there.",
    messages: ["CommandResult"],
  },
  journal: {
    description:
      "The journal: claims, conclusions and results of commands. Internal: only the bridge writes to it, and nobody may depend on it.",
    messages: ["CommandJournalEntry"],
  },
  deadLetters: {
    description: "Notifications and commands that could not be understood or accepted, byte for byte.",
    messages: ["NotificationDeadLetter", "CommandDeadLetter"],
  },
  audit: { description: "Audit entries: what people did with the bridge.", messages: ["AuditEntry"] },
  control: { description: "Which flows are paused.", messages: ["ControlWord"] },
};

/** @type {Record<string, { action: "send" | "receive", channel: Role, summary: string, reply?: Role }>} */
const OPERATIONS = {
  publishEvent: {
    action: "send",
    channel: "transactionStatus",
    summary: "Publishes status events from webhooks and from the partner's log.",
  },
  takeCommand: {
    action: "receive",
    channel: "commands",
    reply: "results",
    summary: "Reads a command, executes it and publishes its result.",
  },
  keepJournal: {
    action: "send",
    channel: "journal",
    summary: "Appends each step of a command to the journal.",
  },
  readJournal: {
    action: "receive",
    channel: "journal",
    summary: "Reads the journal entries of all replicas.",
  },
  park: { action: "send", channel: "deadLetters", summary: "Writes dead letters." },
  recordAction: {
    action: "send",
    channel: "audit",
    summary: "Writes what a person does before it takes effect, and its outcome.",
  },
  pauseOrResume: { action: "send", channel: "control", summary: "Pauses or resumes a flow on all replicas." },
  followControl: { action: "receive", channel: "control", summary: "Reads which flows are paused." },
};

/** A topic's setting in the form that the Kafka binding wants. @param {string} name @param {string} value */
const configValue = (name, value) => {
  if (name === "cleanup.policy") return value.split(",");
  if (value === "true" || value === "false") return value === "true";
  return /^-?\d+$/.test(value) ? Number(value) : value;
};

const ref = (/** @type {string} */ to) => ({ $ref: `#/${to}` });

/** @param {Role} role @param {string} env @param {import("../../../src/kafka/cluster/topics.ts").TopicPlan} plan */
const channel = (role, env, { name, partitions, config }) => ({
  address: name,
  title: env,
  description: `${CHANNELS[role].description} The name is that of ${env} by default.`,
  messages: Object.fromEntries(
    CHANNELS[role].messages.map((one) => [one, ref(`components/messages/${one}`)]),
  ),
  bindings: {
    kafka: {
      topic: name,
      ...(partitions && { partitions }),
      topicConfiguration: Object.fromEntries(
        Object.entries(config).map(([key, value]) => [key, configValue(key, value)]),
      ),
      bindingVersion: KAFKA,
    },
  },
});

/** @param {Role} role */
const messagesOf = (role) => CHANNELS[role].messages.map((one) => ref(`channels/${role}/messages/${one}`));

/** @param {string} root @returns {Promise<string>} the text of docs/asyncapi.yaml */
export async function asyncapi(root) {
  const { topicPlans } = /** @type {Topics} */ (await import("../../../src/kafka/cluster/topics.ts"));
  const { rows } = /** @type {Load} */ (await import("../../../src/config/load.ts"));
  const { version, description, license } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const roles = /** @type {Role[]} */ (Object.keys(CHANNELS));
  const settings = roles.map((role) => {
    const row = rows.find(({ group, key }) => group === "topics" && key === role);
    if (!row?.fallback) throw new Error(`no setting names the topic ${role}`);
    return { role, env: row.env, name: row.fallback };
  });
  const names = /** @type {Record<Role, string>} */ (
    Object.fromEntries(settings.map(({ role, name }) => [role, name]))
  );
  const plans = topicPlans(names);
  const channels = settings.map(({ role, env, name }) => {
    const plan = plans.find((one) => one.name === name);
    if (!plan) throw new Error(`no plan for the topic ${name}`);
    return [role, channel(role, env, plan)];
  });
  const operations = Object.entries(OPERATIONS).map(([id, { action, channel: role, summary, reply }]) => [
    id,
    {
      action,
      summary,
      channel: ref(`channels/${role}`),
      messages: messagesOf(role),
      ...(reply && { reply: { channel: ref(`channels/${reply}`), messages: messagesOf(reply) } }),
    },
  ]);
  const document = {
    asyncapi: "3.0.0",
    info: { title: "cambio-bridge", version, description, license: { name: license } },
    channels: Object.fromEntries(channels),
    operations: Object.fromEntries(operations),
    components: { messages: messages(root) },
  };
  const head =
    "# Generated by `npm run generate` from schemas/, the topics' table and dev/generate/asyncapi/. Change those, not this file.\n";
  return head + stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
