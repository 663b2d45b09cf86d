import type { Setting } from "./setting.ts";
import type { settings } from "./settings.ts";

type Settings = typeof settings;
type ValueOf<S> = S extends Setting<infer T> ? (S extends { optional: true } ? T | undefined : T) : never;

/** Everything the program was told, read once at the start and frozen. Durations are milliseconds. */
export type Config = {
  readonly [G in keyof Settings]: { readonly [K in keyof Settings[G]]: ValueOf<Settings[G][K]> };
};

/**
 * What the values are wanted for: `serve` needs what its flows need, a tool only Kafka and the registry, a command that speaks with the partner alone
 * only the partner, a run of `reconcile` what its flow needs, and the console what a tool needs and its own settings.
 */
export type Purpose = "serve" | "tool" | "partner" | "reconcile" | "console";

/** One thing wrong with the environment. */
export type Problem = { variable: string; message: string };

export type Loaded =
  { ok: true; config: Config; warnings: readonly Problem[] } | { ok: false; problems: readonly Problem[] };
