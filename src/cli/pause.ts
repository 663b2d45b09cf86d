import { Argument, Command, InvalidArgumentError, Option } from "commander";
import {
  PAUSABLE,
  pauseOrResume,
  type ControlEntry,
  type Pausable,
  type PauseRequest,
} from "../operate/pause.ts";
import { iso } from "../runtime/instant.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io, sayWhenStopped } from "./io.ts";
import { endOf } from "./option-values.ts";
import { openTool } from "./tool.ts";

const end = (untilMs: number | null): string =>
  untilMs === null ? "until it is resumed" : `until ${iso(untilMs)}`;

/** Who paused it, since when, until when and why. Quoted, because people wrote it. */
export const lastPause = ({ by, note, atMs, untilMs }: ControlEntry): string =>
  `${JSON.stringify(by)} since ${iso(atMs)}, ${end(untilMs)}: ${JSON.stringify(note)}`;

const run = async (io: Io, asked: PauseRequest, flags: ActorFlags): Promise<ExitCode> => {
  const tool = openTool(io);
  sayWhenStopped(io);
  const hooks = { warn: io.err };
  const { entry, place, audit } = await pauseOrResume(tool, actorOf(flags), asked, hooks, io.stopped);
  const { flow, says, untilMs } = entry;
  // Reconcile is one thing, commands and accepts are many.
  const are = flow === "reconcile" ? "is" : "are";
  io.out(says === "pause" ? `${flow} ${are} paused ${end(untilMs)}.` : `${flow} ${are} resumed.`);
  io.out(`Written to ${place}, and to ${audit}.`);
  io.out("Each replica that reaches Kafka follows within 5 seconds.");
  return EXIT.done;
};

const flowOf = (text: string): Pausable => {
  if (text === "webhooks")
    throw new InvalidArgumentError(
      "Webhooks cannot be paused: the partner gives a notification up after five attempts.",
    );
  const found = PAUSABLE.find((name) => name === text);
  if (!found)
    throw new InvalidArgumentError(`It must be ${PAUSABLE.slice(0, -1).join(", ")} or ${PAUSABLE.at(-1)}.`);
  return found;
};

const withFlow = (name: PauseRequest["says"]): Command =>
  withActor(
    new Command(name).addArgument(
      // The choices are for help; the parser also says why webhooks are none.
      new Argument("<flow>", "all commands, only the accepts among them, or reconcile")
        .choices(PAUSABLE)
        .argParser(flowOf),
    ),
  );

export const pauseCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  withFlow("pause")
    .summary("Keep a flow from starting anything new.")
    .description("Keep all replicas from starting anything new of a flow. What is under way is finished.")
    .addOption(
      new Option(
        "--until <when>",
        "when it ends by itself, by Kafka's clock: an instant, or a duration such as 30m",
      ).argParser(endOf),
    )
    .addHelpText("after", examples('pause accepts --until 30m --by ana --note "Partner upgrade."'))
    .action(
      async (flow: Pausable, { until = null, ...flags }: ActorFlags & { until?: PauseRequest["end"] }) =>
        exit(await run(io, { flow, says: "pause", end: until }, flags)),
    );

export const resumeCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  withFlow("resume")
    .description("Let a paused flow go on.")
    .addHelpText("after", examples('resume commands --by ana --note "The upgrade is done."'))
    .action(async (flow: Pausable, flags: ActorFlags) =>
      exit(await run(io, { flow, says: "resume", end: null }, flags)),
    );
