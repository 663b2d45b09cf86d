import type { IncomingMessage } from "node:http";
import { createServices } from "../../../src/kafka/wire/services.ts";
import { silent } from "../../../src/runtime/log.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { consoleApp } from "../../../src/console/app.ts";
import { createSite } from "../../../src/console/site.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { basic, RIGHT } from "../../support/console-program.ts";

export const users = [
  { name: "ana", role: "operator", hash: RIGHT },
  { name: "bia", role: "operator", hash: RIGHT },
  { name: "vic", role: "viewer", hash: RIGHT },
] as const;

type Sent = {
  headers?: Record<string, string> | [string, string][];
  peer?: string;
  body?: string;
  method?: string;
};

const OWN = { host: "console.test", "sec-fetch-site": "same-origin" };
export const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The app, asked as a browser asks it. Nothing of Kafka answers, and `asked` says whether anything was asked. */
export const openConsole = (settings: Record<string, string> = {}) => {
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  const note = (fields: Record<string, unknown>, event: string): void => void logged.push({ event, fields });
  const nowhere = { KAFKA_BROKERS: "127.0.0.1:1", SCHEMA_REGISTRY_URL: "http://127.0.0.1:1" };
  const env = { ...nowhere, CONSOLE_AUTH: "basic", ...settings };
  const loaded = loadConfig(env, "tool");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { config } = loaded;
  let asked = 0;
  const services = {
    ...createServices(config, {
      clock: systemClock,
      log: { ...silent, warn: note, error: note, info: note },
    }),
    connectCluster: () => {
      asked += 1;
      return Promise.reject(new Error("<b>no Kafka</b>"));
    },
  };
  const from = { host: "here", user: "me", program: "console" };
  const site = createSite(
    { users: () => users, version: "0.0.0", from },
    { ...services, warn: () => undefined },
  );
  const app = consoleApp(site);
  const send = async (
    path: string,
    { headers = {}, peer = "10.0.0.9", ...init }: Sent = {},
  ): Promise<Response> =>
    app.request(
      `http://console.test${path}`,
      { headers, ...init },
      // As much of node's request as the app looks at.
      { incoming: { socket: { remoteAddress: peer } } as unknown as IncomingMessage },
    );
  const post = (
    name: string,
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = OWN,
  ): Promise<Response> =>
    send(path, {
      method: "POST",
      headers: { authorization: basic(name), ...FORM, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const get = (name: string, path: string): Promise<Response> =>
    send(path, { headers: { authorization: basic(name), ...OWN } });
  return { site, logged, send, post, get, asked: () => asked };
};
