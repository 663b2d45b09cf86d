import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import type { Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** The hash of "right", as cheap as bcrypt can be. */
export const RIGHT = "$2b$04$aNqDitDl0m.KFCeCCRM2Jejdsx03Hza9clYqpY7ODT3oQSQcRZ/pe";

export const basic = (name: string, password = "right"): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

/** Settings of a console where ana and bia are operators, vic a viewer. @param folder for the file that names them */
export const signInSettings = async (folder: string): Promise<Settings> => {
  const file = join(folder, "console-users");
  await writeFile(file, `ana:${RIGHT}:operator\nbia:${RIGHT}:operator\nvic:${RIGHT}\n`);
  return { CONSOLE_AUTH: "basic", CONSOLE_USERS_FILE: file };
};

const UNESCAPED: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
};

/** The fields that the form with this action brings along. */
export const hiddenIn = (page: string, action: string): Record<string, string> => {
  const form = page.split("<form").find((part) => part.includes(`action="${action}"`)) ?? "";
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value.replace(/&[a-z0-9#]+;/g, (one) => UNESCAPED[one] ?? one)],
    ),
  );
};

/** The console as a process, asked over HTTP as a browser without script would. */
export const startConsole = async (world: Pick<World, "start">, settings: Settings) => {
  const program = await world.start(["console"], { CONSOLE_PORT: "0", ...settings });
  const line = await program.untilLine((text) => text.includes("console.running"), "the console");
  const { address } = JSON.parse(line) as { address: string };
  const read = async (answer: Response) => ({ status: answer.status, text: await answer.text() });
  const get = async (path: string, name?: string) =>
    read(await fetch(address + path, { headers: name === undefined ? {} : { authorization: basic(name) } }));
  const post = async (path: string, fields: Record<string, string>, name: string) =>
    read(
      await fetch(address + path, {
        method: "POST",
        headers: { authorization: basic(name), "sec-fetch-site": "same-origin" },
        body: new URLSearchParams(fields),
      }),
    );
  /** The page when it holds a text. */
  const until = (path: string, holds: string, name: string): Promise<string> =>
    eventually(
      async () => {
        const { text } = await get(path, name);
        return text.includes(holds) && text;
      },
      `${holds} on ${path}`,
      30_000,
    );
  return {
    program,
    address,
    get,
    post,
    until,
    doubtPage: (commandId: string, name: string): Promise<string> =>
      until(`/doubt?command=${encodeURIComponent(commandId)}`, "Resolve the doubt", name),
    saying: (page: string, as: string) => ({ ...hiddenIn(page, "/doubt"), as, note: "asked the partner" }),
  };
};
