import { createHash } from "node:crypto";
import { Hono } from "hono";
import type { ConsoleEnv } from "../options.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** A square with the sign for "exchange". */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/><path d="M3 6h8l-2-2M13 10H5l2 2" fill="none" stroke="#fff" stroke-width="1.5"/></svg>`;

const named = (name: string, extension: string, type: string, body: string) => ({
  path: `/assets/${name}-${createHash("sha256").update(body).digest("hex").slice(0, 16)}.${extension}`,
  type,
  body,
});

/** What pages load. Their paths contain a hash of the content, so browsers may cache them for good. */
export const assets = {
  style: named("style", "css", "text/css; charset=utf-8", style),
  script: named("script", "js", "text/javascript; charset=utf-8", script),
  icon: named("icon", "svg", "image/svg+xml", icon),
};

/** Served without sign-in: they hold no secrets, and the error page of the sign-in uses them. */
export const serveAssets = () => {
  const app = new Hono<ConsoleEnv>();
  for (const { path, type, body } of Object.values(assets))
    app.get(path, (context) =>
      context.body(body, 200, {
        "content-type": type,
        "cache-control": "public, max-age=31536000, immutable",
      }),
    );
  return app;
};
