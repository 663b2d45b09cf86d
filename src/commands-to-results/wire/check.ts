import { checkFor, type Check } from "../check.ts";
import type { Config } from "../../config/config.ts";

/** The rules for commands, with the values that the settings add. */
export const commandCheck = ({ partner: { purposes, currencies } }: Pick<Config, "partner">): Check =>
  checkFor({ purposes, currencies });
