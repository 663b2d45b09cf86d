import { checkFor, type Check } from "../check.ts";
import type { Config } from "../../config/config.ts";
import { decoder, type Decode } from "../../kafka/schema/codec.ts";
import { readSchema, withWideLongs } from "../../kafka/schema/schemas.ts";
import type { Command } from "../../records.ts";
import type { Services } from "../../services/services.ts";

/** The rules for commands, with the values that the settings add. */
export const commandCheck = ({ partner: { purposes, currencies } }: Pick<Config, "partner">): Check =>
  checkFor({ purposes, currencies });

/** Decodes commands of any sender. @param ownId the id of this build's schema, if known */
export const commandDecoder = (
  { registry, clock }: Pick<Services, "registry" | "clock">,
  ownId: number | null = null,
): Decode<Command> => {
  const schema = readSchema("command");
  return decoder<Command>(schema, registry, clock.monotonic, ownId, withWideLongs(schema));
};
