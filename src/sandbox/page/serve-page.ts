import type { ServerResponse } from "node:http";
import { sendAnswer } from "../runtime/answer.ts";
import type { SimulatedPartner } from "../simulated-partner.ts";

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  // Ids and URLs come from clients: nothing in them may run or be fetched.
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  "x-content-type-options": "nosniff",
};

/** Whether a request is for the page. */
export const isPage = (method: string | undefined, target: string): boolean =>
  method === "GET" && (target === "/" || target.startsWith("/?"));

export const servePage = async (
  partner: SimulatedPartner,
  target: string,
  response: ServerResponse,
): Promise<void> => {
  // Loaded on the first request, to start faster.
  const { renderPage } = await import("./page.ts");
  const body = await renderPage(partner, !target.includes("refresh=off"));
  await sendAnswer(response, { status: 200, headers: pageHeaders, body });
};
