import { secureHeaders } from "hono/secure-headers";

/**
 * Security headers: everything is loaded from here, no inline scripts, no frames. The referrer policy is
 * `same-origin` and not `no-referrer`, with which browsers would send `Origin: null` with a form.
 */
export const guardHeaders = () =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
    referrerPolicy: "same-origin",
    crossOriginOpenerPolicy: "same-origin",
    crossOriginResourcePolicy: "same-origin",
    xFrameOptions: "DENY",
    // Left to the proxy that terminates TLS: the host may serve other things over plain HTTP.
    strictTransportSecurity: false,
  });
