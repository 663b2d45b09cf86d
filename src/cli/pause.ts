import { Argument, type Command } from "commander";
import { PAUSABLE, pauseOrResume, type Pausable, type PauseRequest } from "../operate/pause.ts";
import { iso } from "../runtime/instant.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { newCommand, sayWhenStopped, type Io } from "./io.ts";
import { endOf } from "./option-values.ts";
import { withTool } from "./tool.ts";

type Flags = ActorFlags & { until?: PauseRequest["end"] };

const run = (
  io: Io,
  flow: Pausable,
  says: PauseRequest["says"],
  { until = null, ...flags }: Flags,
): Promise<void> =>
  withTool(io, async (tools) => {
    sayWhenStopped(io);
    const request = { flow, says, end: until };
    const { entry, place, audit } = await pauseOrResume(tools, actorOf(flags), request);
    const end = entry.untilMs === null ? "it is resumed" : iso(entry.untilMs);
    io.out(says === "pause" ? `Paused: ${flow}, until ${end}.` : `Resumed: ${flow}.`);
    io.out(`Written to ${place}, and to ${audit}.`);
    const followed = says === "pause" ? "has followed by now" : "follows within 5 seconds";
    io.out(`Each replica that reaches Kafka ${followed}.`);
  });

const withFlow = (command: Command): Command =>
  withActor(
    command.addArgument(
      new Argument("<flow>", "all commands, only the accepts among them, or reconcile").choices(PAUSABLE),
    ),
  );

export const pauseCommand = (io: Io): Command =>
  withFlow(
    newCommand(
      "pause",
      "Keep all replicas from starting anything new of a flow. What is under way is finished.\nWebhooks " +
        "cannot be paused.",
      'pause accepts --until 30m --by ana --note "Partner upgrade."',
    ),
  )
    .summary("Keep a flow from starting anything new.")
    .option(
      "--until <when>",
      "when it ends by itself, by Kafka's clock: an instant, or a duration such as 30m",
      endOf,
    )
    .action((flow: Pausable, flags: Flags) => run(io, flow, "pause", flags));

export const resumeCommand = (io: Io): Command =>
  withFlow(
    newCommand(
      "resume",
      "Let a paused flow go on.",
      'resume commands --by ana --note "The upgrade is done."',
    ),
  ).action((flow: Pausable, flags: Flags) => run(io, flow, "resume", flags));
