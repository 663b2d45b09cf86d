import { Hono } from "hono";
import { guardHeaders, guardPosts } from "./guard.ts";
import { style, STYLE_PATH } from "./html/style.ts";
import { auditPage } from "./pages/audit.ts";
import { lettersPage } from "./pages/dead-letters.ts";
import { doubtPage } from "./pages/doubt.ts";
import { doubtsPage } from "./pages/doubts.ts";
import { letterPage } from "./pages/letter.ts";
import { overviewPage } from "./pages/overview.ts";
import { noSuchPage, problemPage } from "./pages/problem.ts";
import { beginReplay, planPage } from "./pages/replay.ts";
import { confirmProposal, endDoubt } from "./pages/resolve.ts";
import { storyPage } from "./pages/story.ts";
import { stopTask, taskPage } from "./pages/task.ts";
import { signIn } from "./sign-in/sign-in.ts";
import type { ConsoleEnv, Site } from "./site.ts";

/** All pages, behind the sign-in. Only a POST has an effect. */
export const consoleApp = (site: Site): Hono<ConsoleEnv> => {
  const app = new Hono<ConsoleEnv>();
  app.onError(problemPage);
  app.notFound(noSuchPage);
  app.use(guardHeaders(), async (context, next) => {
    context.set("site", site);
    context.set("person", null);
    await next();
  });
  app.get(STYLE_PATH, (context) => {
    context.header("cache-control", "public, max-age=31536000, immutable");
    context.header("content-type", "text/css; charset=utf-8");
    return context.body(style);
  });
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
  app.post("/tasks/:id/stop", stopTask);
  return app;
};
