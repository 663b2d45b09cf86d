// Checks manifests of Kubernetes and of the Prometheus operator: kubernetes-models checks values by the schemas, which allow unknown
// fields; TypeScript finds misspelt ones.
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** @typedef {{ apiVersion: string, kind: string }} Manifest */

/** @param {Manifest} manifest where its model is */
const modelOf = ({ apiVersion, kind }) => {
  const library = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models";
  return `${library}/${apiVersion}/${kind}`;
};

/** @param {Manifest} manifest @returns {Promise<string[]>} */
async function wrongValues(manifest) {
  const { kind } = manifest;
  try {
    const models = await import(modelOf(manifest));
    new models[kind](manifest).validate();
    return [];
  } catch (error) {
    return [`${kind}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

const TYPED = fileURLToPath(new URL("typed-manifests.ts", import.meta.url));

/** @param {readonly Manifest[]} manifests @returns {string[]} */
function wrongNames(manifests) {
  const text = manifests
    .map((manifest) => {
      const model = `import("${modelOf(manifest)}").I${manifest.kind}`;
      return `export const _${manifests.indexOf(manifest)}: ${model} = ${JSON.stringify(manifest)};`;
    })
    .join("\n");
  /** @type {ts.CompilerOptions} */
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === TYPED || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === TYPED ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023) : getSourceFile(name, ...rest);
  const program = ts.createProgram([TYPED], options, host);
  return program.getSemanticDiagnostics(program.getSourceFile(TYPED)).map(({ messageText, start = 0 }) => {
    const nth = text.slice(0, start).split("\n").length - 1;
    return `${manifests[nth]?.kind}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

/** @param {readonly Manifest[]} manifests @returns {Promise<string[]>} what is wrong with them */
export async function problemsOf(manifests) {
  const values = await Promise.all(manifests.map(wrongValues));
  return [...values.flat(), ...wrongNames(manifests)];
}
