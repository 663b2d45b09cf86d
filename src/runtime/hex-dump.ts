const PER_LINE = 16;

/** Lines of offset, bytes in hex, and printable ASCII. @param fromOffset of the first byte */
export const hexDump = (bytes: Buffer, fromOffset = 0): string[] =>
  Array.from({ length: Math.ceil(bytes.length / PER_LINE) }, (_, nth) => {
    const line = bytes.subarray(nth * PER_LINE, (nth + 1) * PER_LINE);
    const hex = line.toString("hex").replace(/..(?!$)/g, "$& ");
    const text = line.toString("latin1").replace(/[^ -~]/g, ".");
    const offset = (fromOffset + nth * PER_LINE).toString(16).padStart(8, "0");
    return `${offset}  ${hex.padEnd(3 * PER_LINE - 1)}  ${text}`;
  });
