/** The path of a page with its query. A lone surrogate cannot be written in one. */
export const pathTo = (path: string, query: Readonly<Record<string, string | number | null>>): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === "" ? [] : `${name}=${encodeURIComponent(String(value).toWellFormed())}`,
  );
  return given.length === 0 ? path : `${path}?${given.join("&")}`;
};
