import type { Setting } from "./setting.ts";
import { bridge, commands, management, reconcile } from "./settings/bridge.ts";
import { consoleSettings } from "./settings/console.ts";
import { kafka, registry, topics } from "./settings/kafka.ts";
import { partner } from "./settings/partner.ts";
import { traces } from "./settings/traces.ts";
import { webhook } from "./settings/webhook.ts";

/** All settings. Type, default, documentation and redaction of a value follow from its row. */
export const settings = {
  bridge,
  kafka,
  registry,
  partner,
  webhook,
  commands,
  reconcile,
  management,
  console: consoleSettings,
  topics,
  traces,
} as const;

type Row = Setting<unknown> & { group: string; key: string };

export const rows: readonly Row[] = Object.entries(settings).flatMap(([group, members]) =>
  Object.entries(members as Record<string, Setting<unknown>>).map(([key, setting]) => ({
    ...setting,
    group,
    key,
  })),
);
