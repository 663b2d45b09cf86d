import { actorOf } from "../act.ts";
import { Problem } from "../problem.ts";
import type { ConsoleContext } from "../site.ts";

const unknown = (): Problem =>
  new Problem(
    404,
    "This action is not known any more.",
    "What was done, and what came of it, stands in the audit.",
  );

/** What a person did: how far it is, or what came of it. */
export const taskPage = async (context: ConsoleContext): Promise<Response> => {
  const task = await context.var.site.tasks.look(context.req.param("id") ?? "");
  if (task === null) throw unknown();
  return (task.ended ?? task.meanwhile)(context);
};

export const stopTask = async (context: ConsoleContext): Promise<Response> => {
  actorOf(context, "");
  const id = context.req.param("id") ?? "";
  const task = await context.var.site.tasks.look(id);
  if (task === null) throw unknown();
  task.stop();
  return context.redirect(`/tasks/${id}`, 303);
};
