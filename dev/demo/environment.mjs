import { randomBytes } from "node:crypto";

const token = () => randomBytes(12).toString("hex");

/** Settings that the developer's shell may hold: with them the demo would reach a real partner. */
const BRIDGE_SETTING =
  /^(KAFKA|SCHEMA_REGISTRY|PARTNER|WEBHOOK|COMMANDS|RECONCILE|TOPIC|MANAGEMENT|CONSOLE|OTEL)_|^(FLOWS|LOG_LEVEL|SHUTDOWN_TIMEOUT|SETUP_ON_START)$/;

/** @param {NodeJS.ProcessEnv} env @returns {NodeJS.ProcessEnv} */
export const withoutSettings = (env) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !BRIDGE_SETTING.test(name)));

/**
 * The settings of the demo's bridge, with secrets of its own in each run.
 * @param {{ bootstrapServers: string, registryUrl: string }} cluster
 * @param {{ sandbox: number, webhooks: number, management: number, console: number }} ports
 * @param {string} usersFile who may sign in to the console
 */
export const settingsFor = ({ bootstrapServers, registryUrl }, ports, usersFile) => ({
  KAFKA_BROKERS: bootstrapServers,
  SCHEMA_REGISTRY_URL: registryUrl,
  PARTNER_BASE_URL: `http://127.0.0.1:${ports.sandbox}`,
  PARTNER_ACCESS_TOKEN: token(),
  PARTNER_X_TOKEN: token(),
  PARTNER_NAME: "demo",
  // A person may end a doubt when its claim is 20 times as old as both together: 40 s instead of minutes.
  PARTNER_CONNECT_TIMEOUT: "1s",
  PARTNER_CALL_TIMEOUT: "1500ms",
  WEBHOOK_AUTH: "path-token",
  WEBHOOK_SECRET: token(),
  WEBHOOK_HOST: "127.0.0.1",
  WEBHOOK_PORT: String(ports.webhooks),
  SETUP_ON_START: "true",
  FLOWS: "webhooks,commands,reconcile",
  // A lost notification is found within seconds instead of a quarter of an hour.
  RECONCILE_EVERY: "1s",
  RECONCILE_MIN_AGE: "1s",
  MANAGEMENT_HOST: "127.0.0.1",
  MANAGEMENT_PORT: String(ports.management),
  CONSOLE_AUTH: "basic",
  CONSOLE_USERS_FILE: usersFile,
  CONSOLE_PORT: String(ports.console),
});

/** An operator of the console, with a password of its own in each run. */
export const newOperator = () => ({ name: "demo", password: token() });

/** @typedef {ReturnType<typeof newOperator>} Operator */

/** @param {Operator} operator @returns {Promise<string>} a line of the users' file, as `htpasswd -B` writes it */
export const usersLine = async ({ name, password }) => {
  // Loaded late, because the demo itself installs the packages.
  const { hash } = await import("bcryptjs");
  return `${name}:${await hash(password, 8)}:operator\n`;
};

/** @typedef {ReturnType<typeof settingsFor>} Settings */

/** @param {Settings} settings where the partner sends notifications to */
export const webhookUrl = ({ WEBHOOK_PORT, WEBHOOK_SECRET }) =>
  `http://127.0.0.1:${WEBHOOK_PORT}/webhooks/transaction-status/${WEBHOOK_SECRET}`;

/** @param {string[]} command @returns {string} a program that runs the command with more arguments */
export const programFile = (command) =>
  `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(" ")} "$@"\n`;

/** @param {Settings} settings @returns {string} a file for `node --env-file` */
export const envFile = (settings) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
