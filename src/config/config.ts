import type { Setting } from "./setting.ts";
import type { settings } from "./settings.ts";

type Settings = typeof settings;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The value of every setting, read once at the start and frozen. Durations are milliseconds. */
export type Config = {
  readonly [G in keyof Settings]: { readonly [K in keyof Settings[G]]: ValueOf<Settings[G][K]> };
};

/**
 * Which command reads the settings; it decides which of them are required. `serve`: those of its flows;
 * `tool`: Kafka and the registry; `partner`: the partner's API; `reconcile`: those of that flow; `console`:
 * those of a tool, and the console's own.
 */
export type Purpose = "serve" | "tool" | "partner" | "reconcile" | "console";

/** One problem of one environment variable. */
export type SettingProblem = { variable: string; message: string };

export type Loaded = { warnings: readonly SettingProblem[] } & (
  { ok: true; config: Config } | { ok: false; problems: readonly SettingProblem[] }
);
