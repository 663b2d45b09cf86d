import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { csrf } from "hono/csrf";
import { secureHeaders } from "hono/secure-headers";
import { Problem, type ConsoleEnv } from "./site.ts";

const SELF = ["'self'"];
const NONE = ["'none'"];

/**
 * Everything is loaded from here, no scripts, no frames. The referrer policy is `same-origin` and not `no-referrer`,
 * with which browsers would send `Origin: null` with a form.
 */
export const guardHeaders = (): MiddlewareHandler =>
  secureHeaders({
    contentSecurityPolicy: {
      ...{ defaultSrc: NONE, frameAncestors: NONE, baseUri: NONE },
      ...{ styleSrc: SELF, formAction: SELF, imgSrc: ["data:"] },
    },
    ...{ referrerPolicy: "same-origin", crossOriginOpenerPolicy: "same-origin", xFrameOptions: "DENY" },
    crossOriginResourcePolicy: "same-origin",
    // Left to the proxy that terminates TLS: the host may serve other things over plain HTTP.
    strictTransportSecurity: false,
  });

/** A replay names up to a hundred letters. */
const MAX_BODY_BYTES = 16_384;
const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i;

const onlyForms: MiddlewareHandler<ConsoleEnv> = async ({ req }, next) => {
  if (req.method === "POST" && !FORM.test(req.header("content-type") ?? ""))
    throw new Problem(415, "This is not a form of the console.", "Open the console and send the form there.");
  await next();
};

const tooLarge = (): never => {
  throw new Problem(413, "What was sent is too large, so nothing was done.", "Choose fewer, or write less.");
};

/**
 * Lets a POST pass only when a page of the console sent it, and its size is bounded. Sec-Fetch-Site decides where
 * the browser sends it (over TLS and on loopback); otherwise the Origin must be the console's own.
 */
export const guardPosts = (own: string | undefined): readonly MiddlewareHandler<ConsoleEnv>[] => [
  onlyForms,
  csrf({
    origin: (origin, { req }) =>
      req.header("sec-fetch-site") === undefined && origin === (own ?? new URL(req.url).origin),
  }),
  bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge }),
];
