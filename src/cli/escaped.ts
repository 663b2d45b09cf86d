import { escapeInvisible } from "../runtime/invisible.ts";

/** Escapes untrusted text for a terminal, but for line breaks and tabs. */
export const escapedLines = (text: string): string => text.replace(/[^\n\t]+/g, escapeInvisible);
