import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** A file that pages load. Its path changes with its text, so that browsers may keep it. */
type Asset = { path: string; text: string; type: string };

const readAsset = (name: string, extension: string, type: string): Asset => {
  const text = readFileSync(new URL(`${name}.${extension}`, import.meta.url), "utf8");
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { path: `/${name}-${digest}.${extension}`, text, type: `${type}; charset=utf-8` };
};

export const readAssets = () => ({
  style: readAsset("style", "css", "text/css"),
  reload: readAsset("reload", "js", "text/javascript"),
});
