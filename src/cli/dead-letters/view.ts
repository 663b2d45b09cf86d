import { viewDeadLetters, type LetterViews } from "../../bridge/operator/view-dead-letters.ts";
import { explainOutage } from "../../bridge/outage.ts";
import type { ExitCode, Io } from "../io.ts";
import { openTool } from "../tool.ts";

/** Runs `work` with views of the dead letters, whose outages become sentences, and closes them. */
export const viewing = async (
  io: Io,
  work: (views: Pick<LetterViews, "each" | "show" | "sent">) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const { config, services } = openTool(io);
  const explained = <T>(asking: Promise<T>): Promise<T> => explainOutage(config, asking, io.stopped);
  const views = await explained(viewDeadLetters(config, services, io.err, io.stopped));
  try {
    return await work({
      each: (selection, see) => explained(views.each(selection, see)),
      show: (place) => explained(views.show(place)),
      sent: views.sent,
    });
  } finally {
    await views.close();
  }
};
