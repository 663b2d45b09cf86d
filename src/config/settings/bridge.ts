import { duration, flag, integer, oneOf, port, someOf, text } from "../setting.ts";

export const bridge = {
  flows: someOf({
    env: "FLOWS",
    fallback: "webhooks,commands,reconcile",
    values: ["webhooks", "commands", "reconcile"],
    help: "Which flows this process runs.",
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
    help: "How long a drain may take after SIGTERM.",
  }),
  setupOnStart: flag({ env: "SETUP_ON_START", help: "Runs `setup` before `serve`. For development." }),
} as const;

export const management = {
  host: text({
    env: "MANAGEMENT_HOST",
    fallback: "0.0.0.0",
    help: "Address of /livez, /readyz and /metrics.",
  }),
  port: port({ env: "MANAGEMENT_PORT", fallback: "9090", help: "Their port; 0 for any free one." }),
} as const;

export const commands = {
  maxInFlight: integer({
    env: "COMMANDS_MAX_IN_FLIGHT",
    fallback: "64",
    min: 1,
    max: 10_000,
    help: "Commands executed at once.",
  }),
  maxAgeMs: duration({ env: "COMMANDS_MAX_AGE", fallback: "15m", help: "Older commands are refused." }),
  deadlineMs: duration({
    env: "COMMANDS_DEADLINE",
    fallback: "2m",
    help: "How long a command is tried, from when a replica takes it up.",
  }),
  trustTrace: flag({
    env: "COMMANDS_TRUST_TRACE",
    help: "Continues the trace that a command came with, which is only linked otherwise.",
  }),
} as const;
