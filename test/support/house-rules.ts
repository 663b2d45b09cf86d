import { posix } from "node:path";
import ts from "typescript";

/** A source file; `file` is its path relative to src, with forward slashes. */
export type Source = { file: string; text: string };

/**
 * What a room may import besides itself. An entry that ends in `/` is a room, any other a file; `types` only
 * by `import type`.
 */
type Room = { values: readonly string[]; types: readonly string[] };

const room = (values: string, types = ""): Room => ({
  values: values.split(" ").filter(Boolean),
  types: types.split(" ").filter(Boolean),
});

const adapter = room("runtime/", "records.ts");

/** The import rules. Every file must belong to one of these rooms; it belongs to the innermost one. */
export const rooms: Readonly<Record<string, Room>> = {
  "main.ts": room("cli/program.ts"),
  "records.ts": room(""),
  "runtime/": room(""),
  "config/": room("runtime/"),
  "partner/": adapter,
  "partner/wire.ts": room("runtime/ config/ partner/"),
  "partner/calls/": room("runtime/ partner/connection/", "partner/types.ts"),
  "partner/connection/": room("runtime/", "partner/types.ts"),
  "kafka/": adapter,
  // What a process shares, as the settings say: clients of Kafka and the registry, log, metrics and traces.
  "kafka/wire/": room("runtime/ config/ ops/ kafka/"),
  // Node's HTTP server with bounds on strangers, for webhooks, management and console.
  "listener/": room("runtime/"),
  "ops/": room("runtime/ listener/", "records.ts"),
  "ops/traces/": room("runtime/"),
  "notification/": room("runtime/", "records.ts"),
  "notification/wire/": room("runtime/ kafka/ notification/", "records.ts"),
  "webhooks-to-events/": room("runtime/ listener/ notification/", "records.ts"),
  "webhooks-to-events/wire.ts": room(
    "runtime/ notification/wire/ webhooks-to-events/",
    "notification/ kafka/wire/",
  ),
  "log-to-events/": room("runtime/ notification/", "records.ts partner/types.ts"),
  "log-to-events/wire/": room(
    "runtime/ kafka/ partner/ notification/wire/ log-to-events/",
    "records.ts notification/",
  ),
  // The dead-letter topic: what is written to it, and how its records are read.
  "dead-letters/": room("runtime/ kafka/"),
  // The path and the rules of an accept know nothing of Kafka. The journal and the wiring do.
  "commands-to-results/": room("runtime/", "records.ts partner/types.ts"),
  "commands-to-results/accept-once/journal/": room("runtime/ kafka/ commands-to-results/", "records.ts"),
  "commands-to-results/wire/": room(
    "runtime/ kafka/ partner/ commands-to-results/ commands-to-results/accept-once/journal/",
    "records.ts",
  ),
  // The entries of the control topic, which `operate` writes and the bridge follows.
  "bridge/pauses/pause-entry.ts": room("runtime/"),
  "bridge/": room(
    "runtime/ config/ partner/ kafka/ ops/ listener/ dead-letters/ notification/wire/ webhooks-to-events/wire.ts " +
      "log-to-events/wire/ commands-to-results/wire/",
    "records.ts commands-to-results/flow.ts notification/",
  ),
  // What people do, over the topics: decision and effect side by side.
  "operate/": room(
    "runtime/ dead-letters/ kafka/ bridge/pauses/pause-entry.ts notification/ notification/wire/ log-to-events/ " +
      "log-to-events/wire/ commands-to-results/",
    "records.ts",
  ),
  // The pages over what people do: no second way to Kafka.
  "console/": room("runtime/ listener/ operate/"),
  // Checks what the other rooms connect to, with their adapters.
  "doctor/": room(
    "runtime/ config/ kafka/ partner/connection/ partner/wire.ts log-to-events/ log-to-events/wire/",
  ),
  // Tools read and write topics and read the partner's log themselves; `serve` needs the log of ops.
  "cli/": room(
    "bridge/ partner/wire.ts doctor/ operate/ console/ config/ runtime/ kafka/ ops/log.ts ops/open-traces.ts",
    "records.ts",
  ),
  // A program of its own beside src. It shares no code with the bridge, so that it can catch the bridge's mistakes,
  // and needs no packages.
  "sandbox/": room(""),
};

/** Libraries that only these rooms may import. The partner is an HTTP API, and so is the schema registry. */
const libraries: Readonly<Record<string, string>> = {
  "kafka/": "kafkajs lz4js snappyjs avsc undici",
  "partner/connection/": "undici",
  "ops/": "pino prom-client",
  "ops/traces/":
    "@opentelemetry/api @opentelemetry/exporter-trace-otlp-proto @opentelemetry/resources " +
    "@opentelemetry/sdk-trace-base",
  "cli/": "commander",
  "console/": "bcryptjs rate-limiter-flexible",
  "config/": "fastest-levenshtein",
};

/** May only be loaded by `import()`. */
const lazy = ["ops/traces/"];

/** Rooms that lie inside of another one and know more than it does: it may not import them. */
const outer = [
  "partner/wire.ts",
  "kafka/wire/",
  "notification/wire/",
  "webhooks-to-events/wire.ts",
  "log-to-events/wire/",
  "commands-to-results/accept-once/journal/",
  "commands-to-results/wire/",
];

/** These touch the process. The second checks variables that OpenTelemetry's SDK reads by itself. */
const ownProcess = ["main.ts", "sandbox/main.ts", "ops/traces/export.ts"];

/** Decides by a sentence for people. Only these read one of a library, each saying why. */
const READS_SENTENCE =
  /\b(detail|message|reason|sentence)[?!]*\.(includes|startsWith|match|endsWith)\(|\.(test|exec)\([\w.]*\b(detail|message|reason|sentence)\)/;
const readsLibraries = ["runtime/errors.ts", "kafka/errors.ts"];

const MAX_LINES = 250;

type Import = { specifier: string; typeOnly: boolean; dynamic: boolean };

const isTypeOnly = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean =>
  ts.isExportDeclaration(node)
    ? node.isTypeOnly
    : node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;

const textOf = (node: ts.Node | undefined): string | null =>
  node && ts.isStringLiteralLike(node) ? node.text : null;

const importOf = (node: ts.Node): Import | null => {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
    return { specifier: textOf(node.moduleSpecifier) ?? "?", typeOnly: isTypeOnly(node), dynamic: false };
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return { specifier: textOf(node.arguments[0]) ?? "?", typeOnly: false, dynamic: true };
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return { specifier: textOf(node.argument.literal) ?? "?", typeOnly: true, dynamic: false };
  return null;
};

const isProcess = (node: ts.Node): boolean =>
  (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
  ((ts.isIdentifier(node.expression) && node.expression.text === "process") ||
    node.getText().startsWith("globalThis.process"));

/** Whether a statement does something when the module is imported. */
const acts = (statement: ts.Statement): boolean =>
  !(
    ts.isImportDeclaration(statement) ||
    ts.isExportDeclaration(statement) ||
    ts.isVariableStatement(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  );

const covers = (entry: string, file: string): boolean =>
  entry.endsWith("/") ? file.startsWith(entry) : file === entry;

/** The innermost room of the table that contains a file or folder. */
const roomIn = (table: Readonly<Record<string, Room>>, file: string): string | undefined =>
  Object.keys(table)
    .filter((name) => covers(name, file))
    .sort((a, b) => b.length - a.length)[0];

const roomOf = (file: string): string => roomIn(rooms, file) ?? "";

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

const importProblem = (file: string, { specifier, typeOnly, dynamic }: Import): string | null => {
  const own = roomOf(file);
  if (!specifier.startsWith(".")) {
    if (specifier.replace(/^node:/, "") === "process") return `${file}: imports process`;
    if (own === "sandbox/" && !specifier.startsWith("node:")) return `${file}: imports ${specifier}`;
    const homes = Object.keys(libraries).filter((name) =>
      libraries[name]?.split(" ").includes(packageOf(specifier)),
    );
    return homes.length === 0 || homes.includes(own)
      ? null
      : `${file}: imports ${specifier}, which lives elsewhere`;
  }
  const target = posix.join(posix.dirname(file), specifier);
  const room = roomOf(target);
  const { values, types } = rooms[own] ?? { values: [], types: [] };
  const isOwn = own.endsWith("/") && target.startsWith(own) && (!outer.includes(room) || room === own);
  if (!isOwn && !typeOnly && !dynamic && lazy.some((entry) => covers(entry, target)))
    return `${file}: loads ${target} before it is wanted`;
  const allowed = isOwn || [...values, ...(typeOnly ? types : [])].some((entry) => covers(entry, target));
  return allowed ? null : `${file}: imports ${typeOnly ? "types of " : ""}${target}`;
};

/** Every import cycle, types included, as a path back to its first file. */
const cycles = (graph: ReadonlyMap<string, readonly string[]>): string[] => {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) found.push(`a cycle of imports: ${[...path.slice(at), file].join(" → ")}`);
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
};

/** Every cycle of the table: rooms that may import each other, directly or through others. */
export const circles = (table: Readonly<Record<string, Room>>): string[] => {
  const graph = new Map(
    Object.entries(table).map(([name, { values, types }]) => [
      name,
      [...values, ...types].flatMap((entry) => roomIn(table, entry) ?? []),
    ]),
  );
  return cycles(graph).map((path) => path.replace("a cycle of imports", "a circle of rooms"));
};

const namingProblems = (file: string): string[] => {
  const problems: string[] = [];
  if (posix.basename(file) === "index.ts") problems.push(`${file}: is a barrel`);
  if (!/^[a-z0-9-/]+\.ts$/.test(file)) problems.push(`${file}: is not in kebab-case`);
  if (roomOf(file) === "") problems.push(`${file}: lies in no room of the house`);
  return problems;
};

/** Every violation of the house rules in the sources, each as `file: what`. */
export const violations = (sources: readonly Source[]): string[] => {
  const graph = new Map<string, string[]>();
  const problems = sources.flatMap(({ file, text }): string[] => {
    const found = namingProblems(file);
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const targets: string[] = [];
    graph.set(file, targets);
    const lines = text.trimEnd().split("\n").length;
    if (lines > MAX_LINES) found.push(`${file}: has ${lines} lines`);
    if (/@ts-(ignore|nocheck)|\b(TODO|FIXME)\b/.test(text)) found.push(`${file}: puts something off`);
    if (READS_SENTENCE.test(text) && !readsLibraries.includes(file))
      found.push(`${file}: reads a sentence back`);
    if (!/^(sandbox\/)?main.ts$/.test(file) && tree.statements.some(acts))
      found.push(`${file}: acts when it is imported`);
    const visit = (node: ts.Node): void => {
      if (!ownProcess.includes(file) && isProcess(node)) found.push(`${file}: reads ${node.getText()}`);
      const imported = importOf(node);
      if (imported) {
        const problem = importProblem(file, imported);
        if (problem !== null) found.push(problem);
        if (imported.specifier.startsWith("."))
          targets.push(posix.join(posix.dirname(file), imported.specifier));
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
    return found;
  });
  return [...problems, ...cycles(graph)];
};
