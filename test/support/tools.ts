import { createServices } from "../../src/kafka/wire/services.ts";
import { silent } from "../../src/runtime/log.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Actor, Role } from "../../src/operate/actor.ts";
import type { Tools } from "../../src/operate/tools.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { sharedCluster } from "./cluster.ts";
import { toolSettings, type Settings } from "./settings.ts";
import type { World } from "./world.ts";

/** What the functions of operate/ work with, for the topics of a world. */
export const toolServicesFor = (world: World, settings: Settings = {}): Tools => {
  const env = { ...toolSettings(sharedCluster(), world), PARTNER_BASE_URL: world.sandboxUrl, ...settings };
  const loaded = loadConfig(env, "tool");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const services = createServices(loaded.config, { clock: systemClock, log: silent });
  world.defer(() => {
    services.close();
    return Promise.resolve();
  });
  const warn = (sentence: string): never => {
    throw new Error(sentence);
  };
  return { ...services, warn, onProgress: () => undefined, stopped: new AbortController().signal };
};

export const person = (by: string, role: Role = "operator", note = "asked the partner"): Actor => ({
  by,
  role,
  note,
  from: { host: "h", user: "u", program: "console", address: "10.0.0.1" },
});
