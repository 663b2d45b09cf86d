import { serveSettings, type Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** What `doctor` says for `serve`, each check a line that begins with its status and its group. */
export const examine = async (world: World, over: Settings = {}) => {
  const settings = { ...serveSettings, ...over };
  const beganAt = performance.now();
  const { code, out, err } = await world.run(["doctor", "--json"], settings);
  if (err !== "") throw new Error(err);
  const { checks } = JSON.parse(out) as { checks: Record<string, string | null>[] };
  const lines = checks.map(
    ({ status, group, name, detail, remedy }) => `${status} ${group} ${name}: ${detail}: ${remedy ?? ""}`,
  );
  return {
    code,
    ms: performance.now() - beganAt,
    lines,
    failed: lines.filter((line) => line.startsWith("fail ")),
    of: (group: string): string[] => lines.filter((line) => line.split(" ")[1] === group),
  };
};
