/** What stands below the options in a command's help. An example may go on in further lines. */
export const examples = (...commands: readonly string[]): string =>
  ["\nExamples:", ...commands.map((command) => `  $ cambio-bridge ${command}`)].join("\n");
