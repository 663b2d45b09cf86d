import { canonicalId } from "../transactions/quote-id.ts";
import type { Operation } from "../types.ts";

export type Route =
  | { kind: "operation"; operation: Operation; quoteId: string | null }
  | { kind: "method-not-allowed"; allow: string }
  | { kind: "not-found" };

const fixed: Record<string, { method: string; operation: Operation }> = {
  "/corporate/v1/quote": { method: "POST", operation: "create" },
  "/corporate/v1/webhook/subscribe": { method: "POST", operation: "subscribe" },
  "/corporate/v1/webhook/logs": { method: "GET", operation: "logs" },
};

const acceptPath = /^\/corporate\/v1\/quote\/([^/]+)\/accept$/;

const decoded = (segment: string): string | null => {
  try {
    return canonicalId(decodeURIComponent(segment));
  } catch {
    return null;
  }
};

/** The operation of a method and a path. */
export const routeOf = (method: string, path: string): Route => {
  const segment = acceptPath.exec(path)?.[1];
  const quoteId = segment === undefined ? null : decoded(segment);
  const found =
    quoteId !== null
      ? ({ method: "PUT", operation: "accept" } as const)
      : Object.hasOwn(fixed, path)
        ? fixed[path]
        : undefined;
  if (!found) return { kind: "not-found" };
  if (found.method !== method) return { kind: "method-not-allowed", allow: found.method };
  return { kind: "operation", operation: found.operation, quoteId };
};
