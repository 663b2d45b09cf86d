import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { csrf } from "hono/csrf";
import { secureHeaders } from "hono/secure-headers";
import { closeServer, listen } from "../listener/listen.ts";
import { createListener } from "../listener/listener.ts";
import { taskPage } from "./act.ts";
import { auditPage } from "./pages/audit.ts";
import { letterPage, lettersPage } from "./pages/dead-letters.ts";
import { doubtPage } from "./pages/doubt.ts";
import { doubtsPage } from "./pages/doubts.ts";
import { overviewPage } from "./pages/overview.ts";
import { noSuchPage, problemPage } from "./pages/problem.ts";
import { beginReplay, planPage } from "./pages/replay.ts";
import { confirmProposal, endDoubt } from "./pages/resolve.ts";
import { storyPage } from "./pages/story.ts";
import { signIn } from "./sign-in/sign-in.ts";
import { PageProblem, type ConsoleEnv, type Site } from "./site.ts";

const SELF = ["'self'"];
const NONE = ["'none'"];

const guardHeaders = (): MiddlewareHandler =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: NONE,
      frameAncestors: NONE,
      baseUri: NONE,
      styleSrc: SELF,
      scriptSrc: SELF,
      connectSrc: SELF,
      formAction: SELF,
      imgSrc: ["data:"],
    },
    // With `no-referrer` browsers would send `Origin: null` with a form.
    referrerPolicy: "same-origin",
    xFrameOptions: "DENY",
    // Left to the proxy that terminates TLS: the host may serve other things over plain HTTP.
    strictTransportSecurity: false,
  });

const MAX_BODY_BYTES = 16_384;
const FORM = /^application\/x-www-form-urlencoded *(?:;|$)/i;

const onlyForms: MiddlewareHandler<ConsoleEnv> = async ({ req }, next) => {
  if (req.method === "POST" && !FORM.test(req.header("content-type") ?? ""))
    throw new PageProblem(415, "This is not a form of the console.", "Send the form from its own page.");
  await next();
};

const tooLarge = (): never => {
  throw new PageProblem(413, "What was sent is too large, so nothing was done.", "Write a shorter note.");
};

/** If the browser sends Sec-Fetch-Site (TLS, loopback), it decides; else the Origin must be the console's own. */
const guardPosts = (ownOrigin: string | undefined): readonly MiddlewareHandler<ConsoleEnv>[] => [
  onlyForms,
  csrf({
    origin: (origin, { req }) =>
      req.header("sec-fetch-site") === undefined && origin === (ownOrigin ?? new URL(req.url).origin),
  }),
  bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge }),
];

/** The longest query parameter: the length limit of an id. */
const MAX_PARAMETER_LENGTH = 1_024;

/** Other pages may only link here: by embedding addresses as images they could begin any number of readings. */
const guardGets: MiddlewareHandler<ConsoleEnv> = async ({ req }, next) => {
  const [site, mode, dest] = ["site", "mode", "dest"].map((name) => req.header(`sec-fetch-${name}`));
  const isForeign = site === "cross-site" || site === "same-site";
  if (req.method !== "POST" && isForeign && !(mode === "navigate" && dest === "document"))
    throw new PageProblem(403, "Another page asked for this.", "Open the console by its own address.");
  if ([...new URL(req.url).searchParams.values()].some(({ length }) => length > MAX_PARAMETER_LENGTH))
    throw new PageProblem(400, `A parameter has more than ${MAX_PARAMETER_LENGTH} characters.`);
  await next();
};

const FOR_EVER = "max-age=31536000, immutable";

export const consoleApp = (site: Site): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>();
  app.onError(problemPage);
  app.notFound(noSuchPage);
  app.use(guardHeaders(), async (context, next) => {
    context.set("site", site);
    context.set("person", null);
    await next();
  });
  app.use(guardGets);
  for (const { path, text, type } of [site.style, site.reload])
    app.get(path, (context) => context.body(text, 200, { "content-type": type, "cache-control": FOR_EVER }));
  app.use(signIn(site), ...guardPosts(site.settings.origin));

  app.get("/", overviewPage);
  app.get("/doubts", doubtsPage);
  app.get("/doubt", doubtPage);
  app.post("/doubt", endDoubt);
  app.post("/confirm", confirmProposal);
  app.get("/dead-letters", lettersPage);
  app.get("/letter", letterPage);
  app.get("/replay", planPage);
  app.post("/replay", beginReplay);
  app.get("/story", storyPage);
  app.get("/audit", auditPage);
  app.get("/tasks/:id", taskPage);
  return app;
};

/** More than the app takes, so that it can say in words that a form is too large. */
const MAX_READ_BYTES = 65_536;

export const createConsoleServer = (site: Site): Server => {
  const { fetch } = consoleApp(site);
  return createListener({ maxPipelined: 1, maxBodyBytes: MAX_READ_BYTES, needsHost: true }, () => fetch);
};

export const openConsole = (site: Site) => {
  const server = createConsoleServer(site);
  return {
    listen: (host: string, port: number): Promise<AddressInfo> => listen(server, host, port, "CONSOLE_PORT"),
    close: (drainMs: number): Promise<void> => closeServer(server, drainMs),
  };
};
