/**
 * An id in a path, or the value of a field that nobody types: as it is, a browser would change its line ends. Half of a surrogate pair, which no
 * topic holds, has no encoding and is replaced.
 */
export const encoded = (id: string): string => encodeURIComponent(Buffer.from(id).toString());

/** A path that leads to an id, whatever stands in it. Dots alone would lead to another folder, and nothing to the folder itself. */
const idPath = (folder: string, id: string): string =>
  /^\.{0,2}$/.test(id) ? `${folder}/?id=${encoded(id)}` : `${folder}/${encoded(id)}`;

/** Null for what {@link encoded} did not write. */
export const idInField = (value: string): string | null => {
  try {
    return decodeURIComponent(value);
  } catch {
    return null;
  }
};

export const commandPath = (id: string): string => idPath("/commands", id);
export const transactionPath = (id: string): string => idPath("/transactions", id);
export const doubtPath = (id: string): string => idPath("/doubts", id);
export const letterPath = (ref: string): string => `/dead-letters/${ref}`;

/** The id that a URL of such a path names; null where it is none. */
export const idIn = (url: string): string | null => {
  const { pathname, searchParams } = new URL(url);
  const segment = pathname.slice(pathname.lastIndexOf("/") + 1);
  return segment === "" ? searchParams.get("id") : idInField(segment);
};

/** A path with what is asked for behind it; what is null is left out. */
export const withQuery = (path: string, asked: Readonly<Record<string, string | null>>): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value !== null) query.set(name, value);
  return query.size === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${query.toString()}`;
};
