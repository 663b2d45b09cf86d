import { Command, Option } from "commander";
import { openTraces } from "../services/traces/open.ts";
import {
  NOT_EXECUTED_RISK,
  refusalOf,
  type ResolveOutcome,
  type ResolveRequest,
} from "../operate/resolve/outcome.ts";
import { confirm, resolve } from "../operate/resolve/resolve.ts";
import type { Connections } from "../operate/connections.ts";
import { systemClock } from "../runtime/clock.ts";
import { actorOf, boundedText, type ActorFlags } from "./actor.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io, sayWhenStopped } from "./io.ts";
import { openTool } from "./tool.ts";

type Flags = Partial<ActorFlags> & {
  as?: ResolveRequest["as"];
  quoteId?: string;
  force?: boolean;
  confirm?: string;
};

/** How long a trace collector that does not answer may delay the end. */
const TRACES_MS = 2_000;

const withTraces = async <T>(
  { config, services }: Connections,
  work: (traced: Connections) => Promise<T>,
): Promise<T> => {
  const traces = await openTraces(config, services);
  try {
    return await work({ config, services: { ...services, traces } });
  } finally {
    const sent = systemClock.within(TRACES_MS, undefined, Promise.resolve(traces?.close()));
    await sent.catch(() => undefined);
  }
};

/** What else a person needs to know, besides the refusal and the result. */
const hintOf = (
  { commandId, quoteId }: ResolveRequest,
  ended: ResolveOutcome,
  { config: { topics, kafka } }: Connections,
): string | null => {
  if (ended.kind === "resolved")
    return `Command ${commandId} is ended: ${ended.result.outcome}. Durable at ${ended.place}; its final result at ${ended.published}.`;
  if (ended.kind === "proposed") return `REF ${ended.ref} (${ended.place})`;
  if (ended.kind === "unknown")
    return `Check the commandId (upper and lower case count)${quoteId === null ? "" : ", the quote"}, and that ${topics.journal} of KAFKA_BROKERS (${kafka.brokers.join(",")}) is the right journal. \`cambio-bridge doubts\` lists what is in doubt, \`cambio-bridge watch results --from-beginning\` the results.`;
  return null;
};

type Asking = (connections: Connections) => Promise<{ asked: ResolveRequest; ended: ResolveOutcome }>;

const run = async (io: Io, asking: Asking): Promise<ExitCode> => {
  const tool = openTool(io);
  sayWhenStopped(io);
  const { asked, ended } = await withTraces(tool, asking);
  const refusal = refusalOf(asked, ended);
  for (const line of [refusal, hintOf(asked, ended, tool)]) if (line !== null) io.err(line);
  if ("result" in ended && ended.result) io.out(JSON.stringify(ended.result));
  if (ended.kind === "proposed") return EXIT.notDone;
  return refusal === null ? EXIT.done : EXIT.failed;
};

export const resolveCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  new Command("resolve")
    .description("End a doubt, with what the partner says happened.")
    .argument("[commandId]", "the command in doubt")
    .addOption(new Option("--as <outcome>", "what happened").choices(["succeeded", "not-executed"]))
    .option("--quote-id <id>", "the quote, where the command is in doubt for more than one")
    .option("--force", "decide although the call might still be under way, here or at the partner")
    .option("--confirm <ref>", "end what another person has proposed, by its REF")
    .option("--by <name>", "who decides; kept in the journal and the audit topic", boundedText)
    .option("--note <text>", "how you know; kept in the journal and the audit topic", boundedText)
    .addHelpText(
      "after",
      `
With CONSOLE_FOUR_EYES=true this only proposes, says a REF, and exits with 3.
Another person ends the doubt within 24 hours with --confirm REF.`,
    )
    .addHelpText(
      "after",
      examples(
        'resolve order-71-accept --as not-executed --by ana \\\n      --note "The partner will not execute it any more."',
        "resolve --confirm 0/4711 --by bruno",
      ),
    )
    .action(async (commandId: string | undefined, flags: Flags, command: Command) => {
      const { as, by, quoteId, force, confirm: ref } = flags;
      const isUsage = (text: string): never => command.error(`error: ${text}`, { exitCode: EXIT.usage });
      const needed = ref === undefined ? { commandId, "--as": as, "--note": flags.note } : {};
      const missing = Object.entries({ ...needed, "--by": by }).filter(([, value]) => value === undefined);
      if (missing.length > 0) isUsage(`missing: ${missing.map(([name]) => name).join(", ")}`);
      const isDoubtNamed = [commandId, as, quoteId, force].some((each) => each !== undefined);
      if (ref !== undefined && isDoubtNamed)
        isUsage("--confirm takes only --by and --note: what it ends stands in the proposal");
      const actor = actorOf({ by: by ?? "", note: flags.note ?? "confirmed" });
      const hooks = { warn: io.err };
      if (as === "not-executed") io.err(NOT_EXECUTED_RISK);
      const asking: Asking = async (connections) => {
        if (ref !== undefined) return confirm(connections, actor, ref, hooks, io.stopped);
        const asked = {
          ...{ commandId: commandId ?? "", quoteId: quoteId ?? null },
          ...{ as: as ?? "succeeded", force: force === true },
        };
        return { asked, ended: await resolve(connections, actor, asked, hooks, io.stopped) };
      };
      exit(await run(io, asking));
    });
