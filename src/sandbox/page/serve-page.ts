import type { ServerResponse } from "node:http";
import { write } from "../runtime/answer.ts";
import type { World } from "../world.ts";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  // Nothing that a quote's id or a URL may smuggle in can run or be fetched.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  "x-content-type-options": "nosniff",
};

/** Whether this is the page, rather than the imitated API. */
export const isPage = (method: string | undefined, target: string): boolean =>
  method === "GET" && (target === "/" || target.startsWith("/?"));

export const servePage = async (world: World, target: string, response: ServerResponse): Promise<void> => {
  // Loaded when first looked at: it is not needed to start.
  const { renderPage } = await import("./page.ts");
  const body = await renderPage(world, !target.includes("refresh=off"));
  await write(response, { status: 200, headers: pageHeaders, body });
};
