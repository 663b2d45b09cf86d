const PER_LINE = 16;

/** A hex dump: offset, hexadecimal, printable ASCII. */
export const hexDump = (bytes: Buffer, fromOffset: number): string => {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const line = bytes.subarray(at, at + PER_LINE);
    const hex = [...line].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = [...line]
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."))
      .join("");
    lines.push(
      `${(fromOffset + at).toString(16).padStart(8, "0")}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${text}`,
    );
  }
  return lines.join("\n");
};
