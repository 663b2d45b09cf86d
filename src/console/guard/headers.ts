import { secureHeaders } from "hono/secure-headers";

/**
 * What browsers may do with a page: load from here alone, run no script that stands in it, be framed by nobody. The referrer stays within the
 * console; with none at all, browsers would say "null" for the origin of a form that is sent, which proves nothing.
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
    // The host may serve others, by plain HTTP too: it is for whoever ends TLS.
    strictTransportSecurity: false,
  });
