const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** A duration in its two largest units. The console's script (`lasting`) has the same rule. */
export const formatDuration = (ms: number): string => {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < MINUTE_S) return `${s} s`;
  if (s < HOUR_S) return `${Math.floor(s / MINUTE_S)} min ${s % MINUTE_S} s`;
  if (s < DAY_S) return `${Math.floor(s / HOUR_S)} h ${Math.floor((s % HOUR_S) / MINUTE_S)} min`;
  return `${Math.floor(s / DAY_S)} d ${Math.floor((s % DAY_S) / HOUR_S)} h`;
};
