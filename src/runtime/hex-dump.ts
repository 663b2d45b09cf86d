const PER_LINE = 16;

/** Lines of offset, bytes in hex, and printable ASCII. @param fromOffset of the first byte */
export const hexDump = (bytes: Buffer, fromOffset = 0): string[] =>
  Array.from({ length: Math.ceil(bytes.length / PER_LINE) }, (_, nth) => {
    const line = bytes.subarray(nth * PER_LINE, (nth + 1) * PER_LINE);
    const hex = [...line].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = [...line]
      .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."))
      .join("");
    const at = (fromOffset + nth * PER_LINE).toString(16).padStart(8, "0");
    return `${at}  ${hex.padEnd(3 * PER_LINE - 1)}  ${text}`;
  });
