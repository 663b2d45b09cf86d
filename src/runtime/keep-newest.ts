/** Puts an entry at the end of a map. Beyond `most` entries the oldest one is dropped. */
export const keepNewest = <K, V>(map: Map<K, V>, key: K, value: V, most: number): void => {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
};
