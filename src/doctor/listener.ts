import type { Bounds } from "./check.ts";

/** Sent in place of the path token; the bridge must refuse it. */
export const NO_TOKEN = "cambio-bridge-doctor";

/** An answer of a webhook address. `allow`: its header of that name. */
export type Answer = { status: number; allow: string | null };

/** Sends an empty notification without proof, or a GET. Reads nothing of the answer's body. */
export const ask = (
  method: "GET" | "POST",
  url: URL,
  { headers, ms }: { headers: Record<string, string>; ms: number },
  { clock, signal }: Bounds,
): Promise<Answer> =>
  clock.withDeadline(ms, signal, async (each) => {
    const body = method === "POST" ? "{}" : null;
    const sent = { ...headers, "content-type": "application/json" };
    const answer = await fetch(url, { method, redirect: "manual", signal: each, headers: sent, body });
    await answer.body?.cancel();
    return { status: answer.status, allow: answer.headers.get("allow") };
  });

/** Whether a GET is answered as the bridge's listener answers it. Others that answer 405 allow GET or say nothing. */
export const isOfBridge = ({ status, allow }: Answer): boolean => status === 405 && allow?.trim() === "POST";
