import { html } from "hono/html";

export { html };
/** Markup. Anything else that is put into a template is escaped. */
export type Html = ReturnType<typeof html>;

/** The size of markup that is ready, in bytes. */
export const sizeOf = (markup: Html): number => Buffer.byteLength(String(markup));
