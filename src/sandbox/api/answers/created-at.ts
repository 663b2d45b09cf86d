/**
 * The formats of instants. The specification says "date-time" without an example, so each of these is
 * possible. `local` is the local time of São Paulo without an offset, which is ambiguous.
 */
export const createdAtFormats = [
  "iso-millis",
  "iso-seconds",
  "offset",
  "local",
  "epoch-seconds",
  "epoch-millis",
] as const;
export type CreatedAtFormat = (typeof createdAtFormats)[number];

// São Paulo has had no daylight saving time since 2019.
const saoPauloOffsetMs = -3 * 3_600_000;

const iso = (at: number): string => new Date(at).toISOString();

export const formatInstant = (format: CreatedAtFormat, at: number): string | number => {
  switch (format) {
    case "iso-millis":
      return iso(at);
    case "iso-seconds":
      return `${iso(at).slice(0, 19)}Z`;
    case "offset":
      return `${iso(at + saoPauloOffsetMs).slice(0, 23)}-03:00`;
    case "local":
      return iso(at + saoPauloOffsetMs)
        .slice(0, 19)
        .replace("T", " ");
    case "epoch-seconds":
      return Math.floor(at / 1000);
    case "epoch-millis":
      return at;
  }
};
