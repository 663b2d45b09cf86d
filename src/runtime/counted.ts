/** A number and its noun: `1 member`, `2 members`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
