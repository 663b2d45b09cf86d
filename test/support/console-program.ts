import { basic } from "../unit/console/browser.ts";
import { eventually } from "./eventually.ts";
import type { Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** The console as a process, asked over HTTP as a browser without script would. */
export const startConsole = async (world: Pick<World, "start">, settings: Settings) => {
  const program = await world.start(["console"], { CONSOLE_PORT: "0", ...settings });
  const line = await program.untilLine((text) => text.includes("console.running"), "the console");
  const { address } = JSON.parse(line) as { address: string };
  const get = async (path: string, name?: string) => {
    const headers = name === undefined ? {} : { authorization: basic(name) };
    const answer = await fetch(address + path, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  const post = (path: string, fields: Record<string, string>, name: string) =>
    fetch(address + path, {
      method: "POST",
      headers: { authorization: basic(name), "sec-fetch-site": "same-origin" },
      body: new URLSearchParams(fields),
    }).then(async (answer) => ({ status: answer.status, text: await answer.text() }));
  /** The fields that the form of a doubt brings along. */
  const hiddenIn = (page: string): Record<string, string> =>
    Object.fromEntries(
      [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]) => [name, value],
      ),
    );
  const doubtPage = (commandId: string, name: string): Promise<string> =>
    eventually(
      async () => {
        const { text } = await get(`/doubts/${commandId}`, name);
        return text.includes("is in doubt</h1>") ? text : false;
      },
      "the doubt",
      30_000,
    );
  const saying = (page: string, commandId: string, as: string) => ({
    ...hiddenIn(page),
    ...{ as, note: "asked the partner", commandId },
  });
  return { program, get, post, doubtPage, saying };
};
