import type { Context } from "hono";
import { assets } from "../assets/assets.ts";
import type { ConsoleEnv, Site } from "../options.ts";
import type { ProblemStatus } from "../problem.ts";
import { html, type Html } from "./markup.ts";
import { code, formatCount } from "./text.ts";

/**
 * `refreshS`: reload interval for browsers without script. `isLive`: whether the script keeps the page up to
 * date.
 */
export type Page = {
  title: string;
  body: Html;
  status?: 200 | ProblemStatus;
  refreshS?: number;
  isLive?: boolean;
};

const NAV = [
  ["/", "Overview"],
  ["/doubts", "Doubts"],
  ["/dead-letters", "Dead letters"],
  ["/pauses", "Pauses"],
  ["/audit", "Audit"],
] as const;

/** The header is shown on error pages too, so this must not throw. */
const doubtsOf = ({ queries }: Site): number => {
  try {
    return queries.overview().doubts.count;
  } catch {
    return 0;
  }
};

const nav = (site: Site, path: string): Html => {
  const doubts = doubtsOf(site);
  return html`<nav aria-label="Pages">
    <ul>
      ${NAV.map(([href, name]) => {
        const isHere = href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
        const badge =
          href === "/doubts" && doubts > 0 ? html` <span class="badge">${formatCount(doubts)}</span>` : "";
        return html`<li>
          <a href="${href}" ${isHere ? html`aria-current="page"` : ""}>${name}${badge}</a>
        </li>`;
      })}
    </ul>
  </nav>`;
};

const search = html`<form class="search" role="search" action="/search" method="get">
  <label for="search-id" class="hidden">Id of a command or transaction</label>
  <input id="search-id" name="id" required placeholder="id" autocomplete="off" spellcheck="false" />
  <button name="of" value="command">Command</button>
  <button name="of" value="transaction">Transaction</button>
</form>`;

const personOf = ({ var: { person, site } }: Context<ConsoleEnv>): Html =>
  person === null
    ? html`<span>${site.options.auth.kind === "none" ? "read only: nobody signs in" : "not signed in"}</span>`
    : html`<span>${code(person.name)}, ${person.role}</span>`;

const signedInOf = ({ var: { person, site } }: Context<ConsoleEnv>): boolean =>
  person !== null || site.options.auth.kind === "none";

/** A page in the layout that all share. */
export const page = (
  context: Context<ConsoleEnv>,
  { title, body, status = 200, refreshS, isLive = false }: Page,
): Response | Promise<Response> => {
  const { site } = context.var;
  const path = new URL(context.req.url).pathname;
  const isOpen = signedInOf(context);
  context.header("cache-control", "no-store");
  return context.html(
    html`<!doctype html>
      <html lang="en" data-now="${site.clock.now()}" ${isLive ? html`data-live-page` : ""}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <link rel="icon" href="${assets.icon.path}" />
          <link rel="stylesheet" href="${assets.style.path}" />
          <script src="${assets.script.path}" defer></script>
          ${refreshS === undefined ? "" : html`<noscript><meta http-equiv="refresh" content="${refreshS}" /></noscript>`}
          <title>${title} · cambio-bridge</title>
        </head>
        <body>
          <a class="skip" href="#main">Skip to the page</a>
          <header>
            <div class="bar">
              <a class="brand" href="/">cambio-bridge</a>
              ${
                isOpen
                  ? html`<div id="nav" data-live>${nav(site, path)}</div>
                      ${search}`
                  : ""
              }
              <p class="who">${personOf(context)}</p>
            </div>
          </header>
          <main id="main" tabindex="-1">
            <p id="live" class="live" role="status" hidden></p>
            ${body}
          </main>
          <footer>
            <p>cambio-bridge ${site.options.version}. Times are in UTC. <a href="">Load again</a></p>
          </footer>
        </body>
      </html>`,
    status,
  );
};
