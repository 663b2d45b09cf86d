/** One component of readiness. While a required one is down, the process is not ready. */
export type Component = { up: boolean; detail: string; required: boolean };

export type Readiness = {
  status: "ready" | "unready";
  components: Record<string, { status: "up" | "down"; detail: string }>;
};

/** The answer of /readyz: ready when every required component is up. */
export const readinessOf = (components: Readonly<Record<string, Component>>): Readiness => ({
  status: Object.values(components).every(({ up, required }) => up || !required) ? "ready" : "unready",
  components: Object.fromEntries(
    Object.entries(components).map(([name, { up, detail }]) => [
      name,
      { status: up ? "up" : "down", detail },
    ]),
  ),
});
