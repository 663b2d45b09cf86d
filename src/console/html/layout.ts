import type { Answer, ConsoleContext } from "../site.ts";
import type { ProblemStatus } from "../problem.ts";
import { escapeInvisible } from "../../runtime/invisible.ts";
import { html, type Html } from "./markup.ts";
import { STYLE_PATH } from "./style.ts";
import { code, formatCount } from "./text.ts";

/** `refreshS`: the page loads itself again after so many seconds. */
export type Page = { title: string; body: Html; status?: 200 | ProblemStatus; refreshS?: number | undefined };

const NAV = [
  ["/", "Overview", []],
  ["/doubts", "Doubts", ["/doubt"]],
  ["/dead-letters", "Dead letters", ["/letter", "/replay"]],
  ["/story", "Story", []],
  ["/audit", "Audit", []],
] as const;

/** The path of a page with its query. A lone surrogate cannot be written in one. */
export const pathTo = (path: string, query: Readonly<Record<string, string | number | null>>): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === "" ? [] : `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
  );
  return given.length === 0 ? path : `${path}?${given.join("&")}`;
};

const stillPath = ({ req }: ConsoleContext): string => {
  const { pathname, searchParams } = new URL(req.url);
  return `${pathname}?${new URLSearchParams([...searchParams, ["still", "yes"]]).toString()}`;
};

const nav = ({ req, var: { site } }: ConsoleContext): Html => {
  const doubts = site.doubts.known() ?? 0;
  const { pathname } = new URL(req.url);
  return html`<nav aria-label="Pages">
    <ul>
      ${NAV.map(([href, name, also]) => {
        const isHere = href === pathname || also.some((path) => path === pathname);
        const badge =
          href === "/doubts" && doubts > 0 ? html` <span class="badge">${formatCount(doubts)}</span>` : "";
        return html`<li>
          <a href="${href}" ${isHere ? html`aria-current="page"` : ""}>${name}${badge}</a>
        </li>`;
      })}
    </ul>
  </nav>`;
};

/** A page in the layout that all share. */
export const page = (context: ConsoleContext, { title, body, status = 200, refreshS }: Page): Answer => {
  const { site, person } = context.var;
  const isOpen = person !== null || site.options.auth.kind === "none";
  const who = person
    ? html`${code(person.name)}, ${person.role}`
    : isOpen
      ? "read only: nobody signs in"
      : "";
  context.header("cache-control", "no-store");
  const isStill = context.req.query("still") !== undefined;
  // A header, for it works without script, and a reader can keep the page still.
  if (refreshS !== undefined && !isStill) context.header("refresh", String(refreshS));
  return context.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href="${STYLE_PATH}" />
          <title>${escapeInvisible(title)} · cambio-bridge</title>
        </head>
        <body>
          <a class="skip" href="#main">Skip to the page</a>
          <header>
            <div class="bar">
              <a class="brand" href="/">cambio-bridge</a>
              ${isOpen ? nav(context) : ""}
              <p class="who">${who}</p>
            </div>
          </header>
          <main id="main" tabindex="-1">${body}</main>
          <footer>
            <p>
              cambio-bridge ${site.options.version}. Times are in UTC and in São Paulo.
              ${refreshS === undefined || isStill ? "" : html`This page loads itself again. <a href="${stillPath(context)}">Keep it still</a>`}
            </p>
          </footer>
        </body>
      </html>`,
    status,
  );
};
