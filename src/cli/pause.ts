import { Argument, Command, Option } from "commander";
import { PAUSABLE, pauseOrResume, type Pausable, type PauseRequest } from "../operate/pause.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { endText } from "./flow-lines.ts";
import { examples, EXIT, sayWhenStopped, type Exit, type ExitCode, type Io } from "./io.ts";
import { endOf } from "./option-values.ts";
import { withTool } from "./tool.ts";

type Flags = ActorFlags & { until?: PauseRequest["end"] };

const run = (
  io: Io,
  flow: Pausable,
  says: PauseRequest["says"],
  { until = null, ...flags }: Flags,
): Promise<ExitCode> =>
  withTool(io, async (tool) => {
    sayWhenStopped(io);
    const request = { flow, says, end: until };
    const { entry, place, audit } = await pauseOrResume(tool, actorOf(flags), request, io.stopped);
    io.out(says === "pause" ? `Paused: ${flow}, ${endText(entry.untilMs)}.` : `Resumed: ${flow}.`);
    io.out(`Written to ${place}, and to ${audit}.`);
    io.out(
      says === "pause"
        ? "Each replica that reaches Kafka has followed by now."
        : "Each replica that reaches Kafka follows within 5 seconds.",
    );
    return EXIT.done;
  });

const commandOf = (io: Io, exit: Exit, says: PauseRequest["says"]): Command =>
  withActor(
    new Command(says).addArgument(
      new Argument("<flow>", "all commands, only the accepts among them, or reconcile").choices(PAUSABLE),
    ),
  ).action(async (flow: Pausable, flags: Flags) => exit(await run(io, flow, says, flags)));

export const pauseCommand = (io: Io, exit: Exit): Command =>
  commandOf(io, exit, "pause")
    .summary("Keep a flow from starting anything new.")
    .description(
      "Keep all replicas from starting anything new of a flow. What is under way is finished.\nWebhooks " +
        "cannot be paused.",
    )
    .addOption(
      new Option(
        "--until <when>",
        "when it ends by itself, by Kafka's clock: an instant, or a duration such as 30m",
      ).argParser(endOf),
    )
    .addHelpText("after", examples('pause accepts --until 30m --by ana --note "Partner upgrade."'));

export const resumeCommand = (io: Io, exit: Exit): Command =>
  commandOf(io, exit, "resume")
    .description("Let a paused flow go on.")
    .addHelpText("after", examples('resume commands --by ana --note "The upgrade is done."'));
