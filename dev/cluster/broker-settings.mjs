/**
 * @typedef {object} Node
 * @property {number} id
 * @property {"broker" | "controller" | "broker,controller"} roles
 * @property {number} [port] of the clients' listener
 * @property {number} [controllerPort]
 * @property {Record<string, number>} [extraPorts] of further listeners, by name
 * @property {string} dataFolder
 */

/**
 * Further listeners for clients, beside the plaintext one that brokers use among themselves, and the settings for them.
 * @typedef {object} Security
 * @property {Record<string, "PLAINTEXT" | "SASL_PLAINTEXT" | "SASL_SSL" | "SSL">} listeners protocols by name, in capitals
 * @property {Record<string, string>} [advertised] the address that a listener sends its clients to, by name; its own by default
 * @property {Record<string, string | number | boolean>} settings
 * @property {string[]} [javaFlags]
 */

/**
 * The text of a node's server.properties.
 * @param {Node} node
 * @param {{ controllerId: number, controllerPort: number, brokers: number, security?: Security | undefined }} cluster
 */
export function serverProperties(node, { controllerId, controllerPort, brokers, security }) {
  const replicas = Math.min(3, brokers);
  const listeners = [];
  const extra = Object.entries(node.extraPorts ?? {}).map(([name, port]) => `${name}://127.0.0.1:${port}`);
  if (node.port !== undefined) listeners.push(`PLAINTEXT://127.0.0.1:${node.port}`, ...extra);
  if (node.controllerPort !== undefined) listeners.push(`CONTROLLER://127.0.0.1:${node.controllerPort}`);
  /** @type {Record<string, string | number | boolean>} */
  const settings = {
    "process.roles": node.roles,
    "node.id": node.id,
    "controller.quorum.voters": `${controllerId}@127.0.0.1:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    listeners: listeners.join(","),
    "listener.security.protocol.map": Object.entries({
      PLAINTEXT: "PLAINTEXT",
      CONTROLLER: "PLAINTEXT",
      ...security?.listeners,
    })
      .map(([name, protocol]) => `${name}:${protocol}`)
      .join(","),
    "log.dirs": node.dataFolder,
    "auto.create.topics.enable": false,
    "default.replication.factor": replicas,
    "offsets.topic.replication.factor": replicas,
    "offsets.topic.num.partitions": 3,
    "transaction.state.log.replication.factor": replicas,
    "transaction.state.log.min.isr": Math.min(2, replicas),
    "transaction.state.log.num.partitions": 3,
    "share.coordinator.state.topic.replication.factor": replicas,
    "share.coordinator.state.topic.min.isr": Math.min(2, replicas),
    "group.initial.rebalance.delay.ms": 0,
    // A dead or frozen broker loses its partitions after this long, and one that was killed may come back after this long.
    "broker.session.timeout.ms": 3_000,
    "broker.heartbeat.interval.ms": 500,
    "replica.lag.time.max.ms": 5_000,
    "controlled.shutdown.max.retries": 2,
    ...security?.settings,
  };
  if (node.port !== undefined) {
    const advertised = Object.entries(node.extraPorts ?? {}).map(
      ([name, port]) => `${name}://${security?.advertised?.[name] ?? `127.0.0.1:${port}`}`,
    );
    settings["advertised.listeners"] = [`PLAINTEXT://127.0.0.1:${node.port}`, ...advertised].join(",");
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${String(value).replaceAll("\n", "\\n")}\n`)
    .join("");
}
