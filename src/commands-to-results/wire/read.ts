import { checkFor } from "../check.ts";
import { readCommand } from "../read-command.ts";
import { decoder } from "../../kafka/schema/codec.ts";
import { readSchema, withWideLongs } from "../../kafka/schema/schemas.ts";
import type { Services } from "../../kafka/wire/services.ts";
import type { Command } from "../../records.ts";

/** Reads commands of any sender. @param ownId the id of this build's schema, if known */
export const commandReader = (services: Services, ownId: number | null = null) => {
  const schema = readSchema("command");
  const decode = decoder<Command>(schema, services, { ownId, readType: withWideLongs(schema) });
  return readCommand({ check: checkFor(services.config.partner), decode });
};
