import { Command, Option } from "commander";
import { followProposals } from "../bridge/operator/follow-proposals.ts";
import { resolveOnce } from "../bridge/operator/resolve-once.ts";
import { openTraces } from "../bridge/traces/open.ts";
import type { Actor } from "../operator/action.ts";
import {
  NOT_EXECUTED_CAUTION,
  refusalOf,
  type ResolveOutcome,
  type ResolveRequest,
} from "../operator/resolve-outcome.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Config } from "../config/config.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { examples } from "./help.ts";
import { sayWhenStopped } from "./say-when-stopped.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { openTool } from "./tool.ts";

type Flags = ActorFlags & { as: ResolveRequest["as"]; quoteId?: string; force?: boolean };

/** How long a trace collector that does not answer may delay the end. */
const TRACES_MS = 2_000;

const resolveWithTraces = async (
  { config, services: untraced }: ReturnType<typeof openTool>,
  { err: warn, stopped }: Io,
  actor: Actor,
  asked: ResolveRequest,
): Promise<ResolveOutcome> => {
  const traces = await openTraces(config, { ...untraced, metrics: null });
  const services = { ...untraced, traces };
  const requests = followProposals(config, services);
  try {
    return await resolveOnce(config, services, { fourEyes: requests, warn, stopped }, actor, asked);
  } finally {
    const tracesSent = systemClock.within(TRACES_MS, undefined, Promise.resolve(traces?.close()));
    await Promise.all([requests.close(), tracesSent.catch(() => undefined)]);
  }
};

/** What else a person needs to know, besides the refusal and the result. */
const hintOf = (
  { commandId, quoteId }: ResolveRequest,
  ended: ResolveOutcome,
  config: Config,
): string | null => {
  if (ended.kind === "resolved")
    return `Command ${commandId} is ended: ${ended.result.outcome}. Durable at ${ended.place}; its final result at ${ended.published}.`;
  if (ended.kind === "unknown")
    return `Check the commandId (upper and lower case count)${quoteId === null ? "" : ", the quote"}, and that ${config.topics.journal} of KAFKA_BROKERS (${config.kafka.brokers.join(",")}) is the right journal. \`cambio-bridge doubts\` lists what is in doubt, \`cambio-bridge watch results --from-beginning\` the results.`;
  return null;
};

const resolve = async (io: Io, commandId: string, flags: Flags): Promise<ExitCode> => {
  const { as, quoteId = null, force = false } = flags;
  const asked = { commandId, quoteId, as, force };
  const actor = actorOf(flags);
  const tool = openTool(io);
  sayWhenStopped(io);
  if (as === "not-executed") io.err(NOT_EXECUTED_CAUTION);
  const ended = await resolveWithTraces(tool, io, actor, asked);
  const refusal = refusalOf(asked, ended);
  for (const line of [refusal, hintOf(asked, ended, tool.config)]) if (line !== null) io.err(line);
  if ("result" in ended && ended.result) io.out(JSON.stringify(ended.result));
  if (ended.kind === "proposed") return EXIT.notDone;
  return refusal === null ? EXIT.done : EXIT.failed;
};

export const resolveCommand = (io: Io, exit: (code: ExitCode) => void): Command => {
  const command = new Command("resolve")
    .description("End a doubt, with what the partner says happened.")
    .argument("<commandId>", "the command in doubt")
    .addOption(
      new Option("--as <outcome>", "what happened")
        .choices(["succeeded", "not-executed"])
        .makeOptionMandatory(),
    )
    .option("--quote-id <id>", "the quote, where the command is in doubt for more than one")
    .option("--force", "decide although the call might still be under way, here or at the partner")
    .addHelpText(
      "after",
      `
With CONSOLE_FOUR_EYES=true the first request is only a proposal, and its exit
code is 3. The same request by a second operator within 24 hours ends the doubt.
A proposal that is there needs this approval without the setting as well.`,
    )
    .addHelpText(
      "after",
      examples(
        'resolve order-71-accept --as not-executed --by ana \\\n      --note "The partner will not execute it any more."',
      ),
    )
    .action(async (commandId: string, flags: Flags) => exit(await resolve(io, commandId, flags)));
  return withActor(command, {
    by: "who decides; kept in the journal, the result and the audit topic",
    note: "how you know; kept in the journal and the audit topic",
  });
};
