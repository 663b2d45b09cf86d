import { duration, flag, integer, oneOf, port, someOf, text } from "../setting.ts";

export const bridge = {
  flows: someOf({
    env: "FLOWS",
    fallback: "webhooks,commands,reconcile",
    values: ["webhooks", "commands", "reconcile"],
    help: "The flows that this process runs.",
  }),
  logLevel: oneOf({
    env: "LOG_LEVEL",
    fallback: "info",
    values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    help: "Least severe level that is logged.",
  }),
  shutdownTimeoutMs: duration({
    env: "SHUTDOWN_TIMEOUT",
    fallback: "25s",
    atLeastMs: 6_000,
    help: "Longest graceful shutdown after SIGTERM.",
  }),
  setupOnStart: flag({ env: "SETUP_ON_START", help: "Runs `setup` before `serve`; for development." }),
} as const;

export const management = {
  host: text({
    env: "MANAGEMENT_HOST",
    fallback: "0.0.0.0",
    help: "Address that the management listener (/livez, /readyz, /metrics) binds to.",
  }),
  port: port({
    env: "MANAGEMENT_PORT",
    fallback: "9090",
    help: "Port of the management listener; 0 takes any free one.",
  }),
} as const;

export const commands = {
  maxInFlight: integer({
    env: "COMMANDS_MAX_IN_FLIGHT",
    fallback: "64",
    min: 1,
    max: 10_000,
    help: "Commands that a replica executes at the same time.",
  }),
  maxAgeMs: duration({
    env: "COMMANDS_MAX_AGE",
    fallback: "15m",
    help: "Commands older than this are rejected with COMMAND_TOO_OLD.",
  }),
  deadlineMs: duration({
    env: "COMMANDS_DEADLINE",
    fallback: "2m",
    help: "Longest time for all attempts at a command, from when a replica takes it up (not while it waits behind its key).",
  }),
  trustTrace: flag({
    env: "COMMANDS_TRUST_TRACE",
    help: "Continues the trace that a command carries; false: only links to it.",
  }),
} as const;
