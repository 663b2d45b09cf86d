import type { IncomingMessage } from "node:http";
import { silent } from "../../../src/cli/silent.ts";
import { consoleApp } from "../../../src/console/app.ts";
import type { ConsoleOptions } from "../../../src/console/options.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { consoleFakes } from "../../support/console-fakes.ts";

/** The hash of "right", as cheap as bcrypt can be. */
export const RIGHT = "$2b$04$aNqDitDl0m.KFCeCCRM2Jejdsx03Hza9clYqpY7ODT3oQSQcRZ/pe";

export { silent };

export const users = [
  { name: "ana", role: "operator", hash: RIGHT },
  { name: "bia", role: "operator", hash: RIGHT },
  { name: "vic", role: "viewer", hash: RIGHT },
] as const;

export const options = (of: Partial<ConsoleOptions> = {}): ConsoleOptions => ({
  auth: { kind: "basic", users: () => users },
  origin: null,
  fourEyes: false,
  version: "0.0.0",
  topics: { deadLetters: "fx.dead-letters" },
  from: { host: "here", user: "me", program: "console" },
  ...of,
});

export const basic = (name: string, password = "right"): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

export type Sent = {
  headers?: Record<string, string>;
  peer?: string;
  rawHeaders?: string[];
  body?: string;
  method?: string;
};

const OWN = { host: "console.test", "sec-fetch-site": "same-origin" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The app, asked as a browser asks it. */
export const openConsole = (of: Partial<ConsoleOptions> = {}, fakes = consoleFakes()) => {
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  const note = (fields: Record<string, unknown>, event: string): void => void logged.push({ event, fields });
  const app = consoleApp(options(of), {
    queries: fakes.queries,
    actions: fakes.actions,
    clock: systemClock,
    log: { ...silent, warn: note, error: note },
  });
  const send = async (
    path: string,
    { headers = {}, peer = "10.0.0.9", rawHeaders = [], ...init }: Sent = {},
  ): Promise<Response> =>
    app.request(
      `http://console.test${path}`,
      { headers, ...init },
      // As much of node's request as the app looks at.
      { incoming: { socket: { remoteAddress: peer }, rawHeaders } as unknown as IncomingMessage },
    );

  /** As somebody who has signed in with a password. */
  const as = (name: string, own: Record<string, string> = OWN) => {
    const signedIn = { authorization: basic(name), ...own };
    const get = (path: string) => send(path, { headers: signedIn });
    const post = (
      path: string,
      fields: Record<string, string> | readonly (readonly [string, string])[],
      headers: Record<string, string> = {},
    ) =>
      send(path, {
        method: "POST",
        headers: { ...signedIn, ...FORM, ...headers },
        body: new URLSearchParams(fields as Record<string, string>).toString(),
      });
    return {
      get,
      post,
      text: async (path: string): Promise<string> => (await get(path)).text(),
      /** The token of the form with this action that holds all these texts. */
      token: async (path: string, ...holds: readonly string[]): Promise<string> =>
        tokenIn(await (await get(path)).text(), ...holds),
    };
  };
  return { ...fakes, app, logged, send, as };
};

export const tokenIn = (page: string, ...holds: readonly string[]): string => {
  const form = page
    .split("<form")
    .find((part) => part.includes('name="token"') && holds.every((text) => part.includes(text)));
  return /name="token"\s+value="([^"]+)"/.exec(form ?? "")?.[1] ?? "";
};
