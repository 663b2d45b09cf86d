/**
 * Puts a generated part into a text, between `<!-- begin NAME … -->` and `<!-- end NAME -->`.
 * @param {string} text
 * @param {string} name
 * @param {string} part
 * @returns {string} throws when the marks are not there exactly once
 */
export function fill(text, name, part) {
  const marks = new RegExp(`(<!-- begin ${name}\\b[^>]*-->\\n)[\\s\\S]*?(<!-- end ${name} -->)`, "g");
  const count = [...text.matchAll(marks)].length;
  if (count !== 1)
    throw new Error(`the marks of the generated part "${name}" occur ${count} times, not once`);
  return text.replace(marks, (_, begin, end) => `${begin}\n${part}\n\n${end}`);
}
