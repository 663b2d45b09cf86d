import { html } from "hono/html";

export { html };
/** Markup: whatever else is put into a template is escaped. */
export type Html = ReturnType<typeof html>;

export const nothing = "";
