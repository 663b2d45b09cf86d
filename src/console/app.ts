import { Hono } from "hono";
import { serveAssets } from "./assets/assets.ts";
import { createOutcomes } from "./forms/outcomes.ts";
import { createTokens } from "./forms/tokens.ts";
import { guardHeaders } from "./guard/headers.ts";
import { guardPosts } from "./guard/posts.ts";
import { createLiveStreams } from "./live/streams.ts";
import { liveRoute } from "./live/route.ts";
import type { ConsoleEnv, ConsoleOptions, ConsolePorts, Site } from "./options.ts";
import { auditPage } from "./pages/audit.ts";
import { commandPage } from "./pages/history/command.ts";
import { doubtPage, endDoubt } from "./pages/doubts/doubt.ts";
import { doubtsPage } from "./pages/doubts/doubts.ts";
import { letterPage } from "./pages/dead-letters/letter.ts";
import { lettersPage } from "./pages/dead-letters/letters.ts";
import { createLastAnswers } from "./pages/last-answers.ts";
import { outcomePage } from "./pages/outcome.ts";
import { overviewPage } from "./pages/overview/overview.ts";
import { pausesPage, changePause } from "./pages/pauses/pauses.ts";
import { noSuchPage, problemPage } from "./pages/problem.ts";
import { beginReplay, planReplay } from "./pages/dead-letters/replay-plan.ts";
import { cancelReplay, runPage } from "./pages/dead-letters/replay-run.ts";
import { search } from "./pages/history/search.ts";
import { transactionPage } from "./pages/history/transaction.ts";
import { signIn } from "./sign-in/sign-in.ts";

/** All pages, behind the sign-in. Only the functions of `actions` have an effect. */
export const consoleApp = (options: ConsoleOptions, ports: ConsolePorts): Hono<ConsoleEnv> => {
  const { clock, log, queries } = ports;
  const site: Site = {
    ...ports,
    options,
    tokens: createTokens(clock),
    outcomes: createOutcomes(clock),
    lastLetters: createLastAnswers(clock),
    lastAudit: createLastAnswers(clock),
  };
  const streams = createLiveStreams(queries, clock);
  const app = new Hono<ConsoleEnv>();

  app.onError(problemPage);
  app.notFound(noSuchPage);
  app.use(guardHeaders(), async (context, next) => {
    context.set("site", site);
    context.set("person", null);
    await next();
  });
  app.route("/", serveAssets());
  app.use(signIn(options.auth, clock, log), ...guardPosts);

  app.get("/", overviewPage);
  app.get("/doubts", doubtsPage);
  app.get("/doubts/:id{[^/]*}", doubtPage);
  app.post("/doubts", endDoubt);
  app.get("/pauses", pausesPage);
  app.post("/pauses", changePause);
  app.get("/dead-letters", lettersPage);
  app.post("/dead-letters/plans", planReplay);
  app.post("/dead-letters/runs", beginReplay);
  app.post("/dead-letters/runs/cancel", cancelReplay);
  app.get("/dead-letters/runs/:runId", runPage);
  app.get("/dead-letters/:partition/:offset", letterPage);
  app.get("/commands/:id{[^/]*}", commandPage);
  app.get("/transactions/:id{[^/]*}", transactionPage);
  app.get("/audit", auditPage);
  app.get("/search", search);
  app.get("/outcomes/:id", outcomePage);
  app.get("/live", liveRoute(streams));
  return app;
};
