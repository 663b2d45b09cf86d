import type { Setting } from "./setting.ts";
import type { settings } from "./settings.ts";

type Settings = typeof settings;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The value of every setting, read once at the start and frozen. Durations are milliseconds. */
export type Config = {
  readonly [G in keyof Settings]: { readonly [K in keyof Settings[G]]: ValueOf<Settings[G][K]> };
};

/** The command that reads the settings: it decides which of them are required. */
export type Purpose = "serve" | "tool" | "partner" | "reconcile" | "console";

export type SettingProblem = { variable: string; message: string };

export type Loaded = { warnings: readonly SettingProblem[] } & (
  { ok: true; config: Config } | { ok: false; problems: readonly SettingProblem[] }
);
