/**
 * How instants are written. The specification says "date-time" and shows no example, so each of these is plausible;
 * `local` is the wall clock of São Paulo without its offset, which nobody can read without guessing.
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

// São Paulo has kept UTC-3 all year since 2019.
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
