import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { pauseOnce } from "../bridge/operator/pause.ts";
import type { PauseRequest } from "../operator/pause.ts";
import { isPausable, PAUSABLE, type Pausable, type ControlEntry } from "../operator/control-entry.ts";
import { iso } from "../runtime/instant.ts";
import { placeText } from "../runtime/record-position.ts";
import { actorOf, withActor, type ActorFlags } from "./actor.ts";
import { examples } from "./help.ts";
import { EXIT, type ExitCode, type Io } from "./io.ts";
import { sayWhenStopped } from "./say-when-stopped.ts";
import { openTool } from "./tool.ts";
import { futureMs } from "./option-values.ts";

const end = (untilMs: number | null): string =>
  untilMs === null ? "until it is resumed" : `until ${iso(untilMs)}`;

/** Who paused it, since when, until when and why. Quoted, because people wrote it. */
const lastPause = ({ by, note, atMs, untilMs }: ControlEntry): string =>
  `${JSON.stringify(by)} since ${iso(atMs)}, ${end(untilMs)}: ${JSON.stringify(note)}`;

const pauseOrResume = async (io: Io, asked: PauseRequest, flags: ActorFlags): Promise<ExitCode> => {
  const { config, services } = openTool(io);
  sayWhenStopped(io);
  const actor = actorOf(flags);
  const { place, audit, before } = await pauseOnce(config, services, io.err, actor, asked, io.stopped);
  const { flow, says, untilMs } = asked;
  if (says === "pause") io.out(`${flow} is paused ${end(untilMs)}.`);
  else io.out(before ? `${flow} is resumed.` : `${flow} was not paused; the resume is written all the same.`);
  if (before) io.out(`Before: paused by ${lastPause(before)}`);
  io.out(`Written to ${place}, and to ${placeText(config.topics.audit, audit)}.`);
  io.out("Each replica that reaches Kafka follows within 5 seconds.");
  return EXIT.done;
};

const flowOf = (text: string): Pausable => {
  if (text === "webhooks")
    throw new InvalidArgumentError(
      "Webhooks cannot be paused: the partner gives a notification up after five attempts.",
    );
  if (!isPausable(text)) throw new InvalidArgumentError("It must be commands or reconcile.");
  return text;
};

const withFlow = (name: PauseRequest["says"]): Command =>
  withActor(
    new Command(name).addArgument(
      // The choices are for help and completion; the parser also says why webhooks are none.
      new Argument("<flow>", "the flow").choices(PAUSABLE).argParser(flowOf),
    ),
    { by: "who does it; kept in the audit topic", note: "why; kept in the audit topic" },
  );

export const pauseCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  withFlow("pause")
    .summary("Keep a flow from starting anything new.")
    .description("Keep all replicas from starting anything new of a flow. What is under way is finished.")
    .addOption(
      new Option("--until <when>", "when it ends by itself: an instant, or a duration such as 30m").argParser(
        futureMs,
      ),
    )
    .addHelpText("after", examples('pause commands --until 30m --by ana --note "Partner upgrade."'))
    .action(async (flow: Pausable, { until = null, ...flags }: ActorFlags & { until?: number | null }) =>
      exit(await pauseOrResume(io, { flow, says: "pause", untilMs: until }, flags)),
    );

export const resumeCommand = (io: Io, exit: (code: ExitCode) => void): Command =>
  withFlow("resume")
    .description("Let a paused flow go on.")
    .addHelpText("after", examples('resume commands --by ana --note "The upgrade is done."'))
    .action(async (flow: Pausable, flags: ActorFlags) =>
      exit(await pauseOrResume(io, { flow, says: "resume", untilMs: null }, flags)),
    );
