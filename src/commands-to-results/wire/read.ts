import { decoder, type Decode } from "../../kafka/schema/codec.ts";
import { readSchema, withWideLongs } from "../../kafka/schema/schemas.ts";
import type { Command } from "../../records.ts";
import type { Services } from "../../kafka/wire/services.ts";

/** Decodes commands of any sender. @param ownId the id of this build's schema, if known */
export const commandDecoder = (
  services: Pick<Services, "registry" | "clock">,
  ownId: number | null = null,
): Decode<Command> => {
  const schema = readSchema("command");
  return decoder<Command>(schema, services, { ownId, readType: withWideLongs(schema) });
};
