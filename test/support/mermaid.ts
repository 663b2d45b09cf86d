import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { cached } from "../../dev/cluster/cache.mjs";
import { run } from "../../dev/run.mjs";

const VERSION = "12.3.0";
const DOWNLOAD_MS = 60_000;
/** Of the 26 MB that are downloaded these 6 are kept: mermaid with everything that it needs, as modules. */
const KEPT = ["mermaid.esm.min.mjs", join("chunks", "mermaid.esm.min")];

export type Mermaid = { parse: (diagram: string) => Promise<unknown> };

const fill = async (folder: string): Promise<void> => {
  const tarball = `mermaid-${VERSION}.tgz`;
  // One tarball, without the packages that it names: as a dependency it would make each `npm ci` slower by seconds.
  await run("npm", ["pack", `mermaid@${VERSION}`, "--loglevel=error"], {
    cwd: folder,
    timeoutMs: DOWNLOAD_MS,
  });
  await run("tar", ["xzf", tarball, "--exclude=*.map"], { cwd: folder });
  await mkdir(join(folder, "chunks"));
  for (const path of KEPT) await rename(join(folder, "package", "dist", path), join(folder, path));
  await Promise.all([tarball, "package"].map((path) => rm(join(folder, path), { recursive: true })));
};

/**
 * As much of a DOM as lets mermaid's sanitizer find out that there is none. It passes labels on as they are then, which is enough for parsing.
 */
const withoutDom = { document: { nodeType: 9, createElement: () => ({}) }, Element: Object };

/** The parser that shows diagrams where Markdown is shown, from the cache of downloads. Null, with a warning, where it cannot be had. */
export const loadMermaid = async (): Promise<Mermaid | null> => {
  let folder: string;
  try {
    folder = await cached(`mermaid-${VERSION}`, fill);
  } catch (error) {
    console.warn(`skipped: mermaid ${VERSION} cannot be downloaded: ${String(error)}`);
    return null;
  }
  const path = join(folder, KEPT[0] ?? "");
  if (!existsSync(path)) throw new Error(`${folder} holds no mermaid: remove it`);
  Object.assign(globalThis, { window: withoutDom });
  const { default: mermaid } = (await import(pathToFileURL(path).href)) as { default: Mermaid };
  return mermaid;
};
