import { escapeInvisible } from "../../runtime/invisible.ts";
import type { PageAnswer, ConsoleContext, ProblemStatus } from "../site.ts";
import { codeText, html, type Html } from "./text.ts";

/** `refreshS`: the page loads itself again after so many seconds. */
type Page = { title: string; body: Html; status?: 200 | ProblemStatus; refreshS?: number | undefined };

const NAV = [
  ["/", "Overview"],
  ["/doubts", "Doubts"],
  ["/dead-letters", "Dead letters"],
  ["/story", "Story"],
  ["/audit", "Audit"],
] as const;

const nav = ({ req }: ConsoleContext): Html => {
  const here = new URL(req.url).pathname.replace(/^\/doubt$/, "/doubts");
  return html`<nav aria-label="Pages"><ul>${NAV.map(
    ([href, name]) =>
      html`<li><a href="${href}" ${href === here && html`aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>`;
};

export const page = (context: ConsoleContext, { title, body, status = 200, refreshS }: Page): PageAnswer => {
  const { site, person } = context.var;
  const isOpen = person !== null || site.settings.auth === "none";
  const nobody = isOpen && "read only: nobody signs in";
  const who = person ? html`${codeText(person.name)}, ${person.role}` : nobody;
  context.header("cache-control", "no-store");
  const reload = html`<script id="reload" src="${site.reload.path}" data-seconds="${refreshS}" defer></script>
    <noscript><meta http-equiv="refresh" content="${refreshS}" /></noscript>`;
  return context.html(
    html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${site.style.path}" />
    ${refreshS !== undefined && reload}
    <title>${escapeInvisible(title)} · cambio-bridge</title>
  </head>
  <body>
    <a class="skip" href="#main">Skip to the page</a>
    <header><div class="bar">
      <a class="brand" href="/">cambio-bridge</a> ${isOpen && nav(context)} <p class="who">${who}</p>
    </div></header>
    <main id="main" tabindex="-1">${body}</main>
    <footer><p>cambio-bridge ${site.options.version}. Times are in UTC and in São Paulo.</p></footer>
  </body>
</html>`,
    status,
  );
};
