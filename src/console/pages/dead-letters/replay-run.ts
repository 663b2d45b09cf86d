import type { Context } from "hono";
import { actOnce } from "../../forms/act.ts";
import { canAct, tokenField } from "../../forms/fields.ts";
import { page } from "../../html/layout.ts";
import { html, type Html } from "../../html/markup.ts";
import { letterPath } from "../../html/paths.ts";
import { facts, notice, table, tag, type Tone } from "../../html/elements.ts";
import { formatCount, sentence, inlineText } from "../../html/text.ts";
import { when } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { ReplayRun } from "../../ports.ts";
import { Problem } from "../../problem.ts";

const REFRESH_S = 2;
const STATES: Readonly<Record<ReplayRun["state"], readonly [Tone, string]>> = {
  running: ["wait", "under way"],
  cancelling: ["wait", "being stopped: what is under way is finished"],
  done: ["good", "over"],
  failed: ["bad", "broken off"],
};

const runPath = (runId: string): string => `/dead-letters/runs/${encodeURIComponent(runId)}`;
const purposeOf = (runId: string): string => `cancel ${runId}`;

const figures = (run: ReplayRun, nowMs: number): Html => {
  const { by, startedAtMs, total, sent, duplicates, left, unknown } = run;
  const done = sent + duplicates + left + unknown;
  return html`<progress aria-label="Letters done" value="${done}" max="${Math.max(total, 1)}"></progress>
    ${facts([
      ["Begun", html`${when(startedAtMs, nowMs)} by ${inlineText(by)}`],
      ["Done", `${formatCount(done)} of ${formatCount(total)}`],
      ["Sent", formatCount(sent)],
      [
        "Known already",
        html`${formatCount(duplicates)} <span class="dim">published before; nothing was added</span>`,
      ],
      ["Not sent", formatCount(left)],
      [
        "Not known",
        html`${formatCount(unknown)}
          <span class="dim"
            >may have been written: look in their topics before you send them once more</span
          >`,
      ],
    ])}`;
};

const lastOnes = ({ last }: ReplayRun): Html =>
  table({
    label: "The last letters",
    columns: ["letter", "what came of it"],
    rows: last.map(
      ({ ref, text }) =>
        html`<tr>
          <th scope="row"><a href="${letterPath(ref)}">${ref}</a></th>
          <td>${inlineText(text, 1_000)}</td>
        </tr>`,
    ),
    empty: "None yet.",
  });

const cancelForm = (context: Context<ConsoleEnv>, runId: string): Html =>
  html`<form method="post" action="/dead-letters/runs/cancel" aria-label="Stop">
    ${tokenField(context, purposeOf(runId))}
    <input type="hidden" name="runId" value="${runId}" />
    <p><button>Stop after what is under way</button></p>
  </form>`;

/** The progress of a replay. */
export const runPage = (context: Context<ConsoleEnv>): Response | Promise<Response> => {
  const { site } = context.var;
  const runId = context.req.param("runId") ?? "";
  const run = site.actions?.run(runId) ?? null;
  if (run === null)
    throw new Problem(
      404,
      "Of this replay nothing is known here.",
      "The console was started again since, or it is long over. The audit says what was done.",
      { link: "/audit" },
    );
  const isOver = run.state === "done" || run.state === "failed";
  const [tone, words] = STATES[run.state];
  return page(context, {
    title: `Replay ${words}`,
    ...(!isOver && { refreshS: REFRESH_S }),
    isLive: true,
    body: html`
      <p class="crumbs"><a href="/dead-letters">Dead letters</a></p>
      <h1>Replay</h1>
      <div id="run" data-live ${isOver ? "" : html`data-soon`}>
        <p>${tag(tone, words)}</p>
        ${run.detail === null ? "" : notice(run.state === "failed" ? "bad" : "plain", html`<p>${sentence(run.detail)}</p>`)}
        ${figures(run, site.clock.now())}
      </div>
      <div id="cancel" data-live>
        ${run.state === "running" && canAct(context) ? cancelForm(context, runId) : ""}
      </div>
      <h2>The last letters <small>the newest first</small></h2>
      <div id="last" data-live>${lastOnes(run)}</div>
    `,
  });
};

/** Stops a replay. It needs no note: the rest can be planned again. */
export const cancelReplay = async (context: Context<ConsoleEnv>): Promise<Response> => {
  const form = new URLSearchParams(await context.req.text());
  const runId = form.get("runId") ?? "";
  const where = runPath(runId);
  const sent = {
    purpose: purposeOf(runId),
    form,
    where,
    read: () => ({ what: runId, note: "stopped in the console" }),
  };
  return actOnce(context, sent, (actions, actor, id) => {
    actions.cancel(actor, id);
    return Promise.resolve({ kind: "elsewhere", location: where });
  });
};
