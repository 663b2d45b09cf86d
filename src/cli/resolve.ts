import { Option, type Command } from "commander";
import { openTraces } from "../ops/open-traces.ts";
import type { Actor } from "../operate/actor.ts";
import type { Tools } from "../operate/tools.ts";
import { findDoubts } from "../operate/doubts/doubts.ts";
import { factsOfDoubts } from "../operate/doubts/facts.ts";
import { NOT_EXECUTED_RISK, refusalText, type ResolveRequest } from "../operate/resolve/outcome.ts";
import { findProposal } from "../operate/resolve/proposal.ts";
import { confirm, resolve, type Confirmed } from "../operate/resolve/resolve.ts";
import { systemClock } from "../runtime/clock.ts";
import { actorOf, boundedText, type ActorFlags } from "./actor.ts";
import { factLines, proposalText } from "./doubt-lines.ts";
import { EXIT, newCommand, sayWhenStopped, type Io } from "./io.ts";
import { withTool } from "./tool.ts";

type Flags = Pick<ActorFlags, "by"> & {
  as?: ResolveRequest["as"];
  note?: string;
  quoteId?: string;
  force?: boolean;
  confirm?: string;
  transactionId?: string;
};

/** Gives null where nothing was to be decided. */
type Resolving = (services: Tools) => Promise<Confirmed | null>;

const EXITS = { resolved: EXIT.done, proposed: EXIT.notDone, decided: EXIT.failed } as const;
/** How long a trace collector that does not answer may delay the end. */
const TRACES_MS = 2_000;

const traced = async (tools: Tools, resolving: Resolving): Promise<Confirmed | null> => {
  const traces = await openTraces(tools.config.traces, tools);
  try {
    return await resolving({ ...tools, traces });
  } finally {
    const sent = systemClock.within(TRACES_MS, undefined, Promise.resolve(traces?.close()));
    await sent.catch(() => undefined);
  }
};

const showDoubts = async (io: Io, tools: Tools, request: ResolveRequest): Promise<void> => {
  const facts = await factsOfDoubts(tools, await findDoubts(tools, request));
  for (const each of facts) factLines(each.doubt, each).forEach(io.err);
  if (request.as === "not-executed") io.err(NOT_EXECUTED_RISK);
};

const run = (io: Io, resolving: Resolving): Promise<void> =>
  withTool(io, async (tools) => {
    sayWhenStopped(io);
    const confirmed = await traced(tools, resolving);
    io.exit(confirmed === null ? EXIT.notDone : EXITS[confirmed.outcome.kind]);
    if (confirmed === null) return;
    const { request, outcome } = confirmed;
    const refusal = refusalText(request, outcome);
    if (refusal !== null) io.err(refusal);
    if (outcome.kind === "proposed") io.err(`REF ${outcome.ref} (${outcome.place})`);
    if ("result" in outcome && outcome.result) io.out(JSON.stringify(outcome.result));
    if (outcome.kind === "resolved") {
      const places = `Durable at ${outcome.place}; its final result at ${outcome.published}`;
      io.err(`Command ${request.commandId} is resolved: ${outcome.result.outcome}. ${places}.`);
    }
  });

const confirmShown = (io: Io, ref: string, { as, by, note = "confirmed" }: Flags): Promise<void> =>
  run(io, async (tools) => {
    const proposal = await findProposal(tools, ref);
    io.err(proposalText(proposal));
    await showDoubts(io, tools, proposal.request);
    if (as !== undefined) return confirm(tools, actorOf({ by, note }), { ref, as });
    io.err(`Nothing is done yet: if that is true, say it again with --as ${proposal.request.as}.`);
    return null;
  });

const resolveShown = (io: Io, request: ResolveRequest, actor: Actor): Promise<void> =>
  run(io, async (tools) => {
    // An interrupt is said, and written to the audit topic, by the action itself.
    if (request.as === "not-executed")
      await showDoubts(io, tools, request).catch((error: unknown) => {
        if (!io.stopped.aborted) throw error;
      });
    return { request, outcome: await resolve(tools, actor, request) };
  });

export const resolveCommand = (io: Io): Command =>
  newCommand(
    "resolve",
    "Resolve a doubt: say what the partner says happened.\n\n" +
      "With CONSOLE_FOUR_EYES=true this only proposes, says a REF, and exits with 3.\nAnother person " +
      "resolves it within 24 hours with --confirm REF --as OUTCOME.\nWithout --as, --confirm only shows " +
      "the proposal.",
    'resolve order-71-accept --as not-executed --by ana \\\n      --note "The partner will not execute it any more."',
    "resolve --confirm 0/4711 --as not-executed --by bruno",
  )
    .summary("Resolve a doubt: say what the partner says happened.")
    .argument("[commandId]", "the command in doubt")
    .addOption(new Option("--as <outcome>", "what happened").choices(["succeeded", "not-executed"]))
    .option("--quote-id <id>", "the quote, where the command is in doubt for more than one")
    .option("--transaction-id <id>", "the transaction that it became, for the final result", boundedText)
    .option("--force", "decide although the call might still be under way, here or at the partner")
    .option("--confirm <ref>", "resolve as another person has proposed, by its REF; --as must say the same")
    .requiredOption("--by <name>", "who decides; kept in the journal and the audit topic", boundedText)
    .option("--note <text>", "how you know; kept in the journal and the audit topic", boundedText)
    .action((commandId: string | undefined, flags: Flags, command: Command) => {
      const { as, by, note, quoteId = null, force = false, confirm: ref, transactionId = null } = flags;
      const isOwnDecision = commandId !== undefined || quoteId !== null || force || transactionId !== null;
      if (ref !== undefined && !isOwnDecision) return confirmShown(io, ref, flags);
      if (ref !== undefined || commandId === undefined || as === undefined || note === undefined)
        command.error("error: a commandId, --as and --note are needed, or --confirm with --as alone");
      if (as === "not-executed" && transactionId !== null)
        command.error("error: --transaction-id goes with --as succeeded only");
      return resolveShown(io, { commandId, quoteId, as, force, transactionId }, actorOf({ by, note }));
    });
