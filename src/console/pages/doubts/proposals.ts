import type { Context } from "hono";
import { html, type Html } from "../../html/markup.ts";
import { notice } from "../../html/elements.ts";
import { code, sentence, inlineText } from "../../html/text.ts";
import { when } from "../../html/time.ts";
import type { ConsoleEnv } from "../../options.ts";
import type { Proposal } from "../../ports.ts";
import { canonicalName } from "../../../operator/decision-requests.ts";
import { placeText } from "../../../runtime/record-position.ts";
import { Problem } from "../../problem.ts";
import { askKafka } from "../ask-kafka.ts";

export const DECISION_TEXT = { succeeded: "it was executed", "not-executed": "it was not executed" } as const;

const item = (
  { by, as, note, atMs, untilMs, place, quoteId }: Proposal,
  own: string | null,
  nowMs: number,
): Html =>
  html`<li>
    <strong>${inlineText(by)}</strong> says that
    <strong>${DECISION_TEXT[as]}</strong>${quoteId === null ? "" : html` (quote ${code(quoteId)})`},
    ${when(atMs, nowMs)}: “${inlineText(note, 1_000)}”. The proposal stands until ${when(untilMs, nowMs)}, at
    ${code(placeText(place.topic, place))}.
    ${own !== null && canonicalName(by) === canonicalName(own) ? "It is your own: somebody else must say the same." : "Say the same to end the doubt; say the opposite only when you know better."}
  </li>`;

const list = (proposals: readonly Proposal[], own: string | null, nowMs: number): Html =>
  html`<section aria-labelledby="proposals">
    <h2 id="proposals">Waits for a second operator</h2>
    ${notice(
      "wait",
      html`<ul>
        ${proposals.map((proposal) => item(proposal, own, nowMs))}
      </ul>`,
    )}
  </section>`;

/** Four eyes: the open proposals on a doubt. The page is shown without them when they cannot be read. */
export const proposalsOf = async (context: Context<ConsoleEnv>, commandId: string): Promise<Html> => {
  const { site, person } = context.var;
  const { actions } = site;
  if (!site.options.fourEyes || actions === null) return html``;
  const found = await askKafka(context, () => actions.proposals(commandId)).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  if (found instanceof Problem)
    return notice("bad", html`<p>What others said of it so far is not known. ${sentence(found.message)}</p>`);
  return found.length === 0 ? html`` : list(found, person?.name ?? null, site.clock.now());
};
