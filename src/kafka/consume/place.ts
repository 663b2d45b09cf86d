import type { Mark } from "../mark.ts";
import type { Fetched } from "./log-client.ts";

/** Reading cannot go on where it stopped: the log is another one, or records are missing. */
export class PlaceLost extends Error {
  override readonly name = "PlaceLost";
}

/** How far a partition was read. */
export type Place = {
  next: number;
  /** Infinity: it is read for ever. */
  end: number;
  /** The last record that was taken. */
  last: Mark | null;
  /** Reading went on without a pause since `last`: only then it need not be read again. */
  isSettled: boolean;
  isWanted: boolean;
  /** How often in a row the next record could not be taken yet, and whether a pause is under way for that. */
  tries: number;
  isPaused: boolean;
  /** How often in a row the broker said that the log does not reach so far. */
  outOfRange: number;
};

export const newPlace = (next: number, end: number): Place => ({
  next,
  end,
  last: null,
  isSettled: false,
  isWanted: true,
  tries: 0,
  isPaused: false,
  outOfRange: 0,
});

export const isDone = ({ next, end }: Place): boolean => next >= end;

/** The last record is read once more, to check that the log is still the same. */
export const positionOf = ({ isSettled, last, next }: Place): number =>
  isSettled ? next : (last?.offset ?? next);

/** Goes on somewhere else, where no record is known. */
export const moveTo = (place: Place, next: number): void => {
  if (place.next !== next) Object.assign(place, { next, last: null });
};

/** Checks that a fetch goes on with the same log. @throws PlaceLost */
export const settle = (place: Place, { from, next, records: [first] }: Fetched): void => {
  place.outOfRange = 0;
  const { last, isSettled } = place;
  if (isSettled || next === from) return;
  if (last && (first?.offset !== last.offset || first.timestampMs !== last.timestampMs))
    throw new PlaceLost(`it is another log than before: another record is at ${last.offset} now`);
  place.isSettled = true;
};
