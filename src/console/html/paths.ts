import { decodePercent } from "../../runtime/percent.ts";

/**
 * An id for a path or a hidden field. A browser would change the line ends of a plain field. A lone surrogate,
 * which no topic holds, has no UTF-8 encoding and is replaced.
 */
export const encodeId = (id: string): string => encodeURIComponent(Buffer.from(id).toString());

/** The path of an id's page. `.`, `..` and the empty id cannot be path segments: they go into the query. */
const idPath = (folder: string, id: string): string =>
  /^\.{0,2}$/.test(id) ? `${folder}/?id=${encodeId(id)}` : `${folder}/${encodeId(id)}`;

export const commandPath = (id: string): string => idPath("/commands", id);
export const transactionPath = (id: string): string => idPath("/transactions", id);
export const doubtPath = (id: string): string => idPath("/doubts", id);
export const letterPath = (ref: string): string => `/dead-letters/${ref}`;

/** The id in the URL of an id's page; null where there is none. */
export const idInUrl = (url: string): string | null => {
  const { pathname, searchParams } = new URL(url);
  const segment = pathname.slice(pathname.lastIndexOf("/") + 1);
  return segment === "" ? searchParams.get("id") : decodePercent(segment);
};

/** A path with a query; nulls are left out. */
export const withQuery = (path: string, asked: Readonly<Record<string, string | null>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value !== null) query.set(name, value);
  return query.size === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`;
};
