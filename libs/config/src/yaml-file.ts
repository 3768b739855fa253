import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Document } from 'yaml';

/** A problem of the file. The line is undefined when the file cannot be read at all. */
export interface ConfigProblem {
  readonly line: number | undefined;
  /** One sentence without the name of the file. */
  readonly message: string;
  /** The environment variable without which the value is unknown. */
  readonly unset?: string;
}

/** A parsed YAML file, in which a value can be traced back to its line. */
export interface YamlFile {
  readonly value: unknown;
  readonly errors: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  /** The line of the key or entry at a path; of the nearest parent when the path does not exist. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Reads a YAML file. The messages hold no text of the file, which may be secret. Never throws. */
export function readYamlFile(path: string): YamlFile {
  try {
    return parseYamlFile(readFileSync(path));
  } catch (error) {
    return refused(undefined, `cannot be read: ${describeReadError(error)}`);
  }
}

/** Parses the content of a YAML file, as `readYamlFile`. */
export function parseYamlFile(content: Buffer): YamlFile {
  if (!isUtf8(content)) {
    // The decoder puts U+FFFD in place of the first invalid byte.
    const [valid = ''] = content.toString('utf8').split('\u{FFFD}', 1);
    return refused(countLines(valid), 'the file is not UTF-8; save it as UTF-8');
  }
  return parseYaml(content.toString('utf8'));
}

/** Enough for several aliases of each participant. */
const MAX_ALIASES = 1_000;

function parseYaml(text: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const toProblem = ({ pos, message }: { pos: [number, number]; message: string }): ConfigProblem => ({
    line: lines.linePos(pos[0]).line,
    message: `the file is not valid YAML: ${message}`,
  });
  const errors = document.errors.map(toProblem);
  const warnings = document.warnings.map(toProblem);
  const lineOf = (path: readonly PropertyKey[]): number => findLine(document, lines, path);
  if (errors.length > 0) return { value: undefined, errors, warnings, lineOf };
  const recursive = findRecursiveAlias(document);
  if (recursive !== undefined) {
    const message = 'an alias stands for a value that contains the alias; write the value out';
    return { ...refused(lines.linePos(recursive).line, `the file is not valid YAML: ${message}`), lineOf };
  }
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), errors, warnings, lineOf };
  } catch (error) {
    // The library refuses aliases that grow without bound.
    const reason = error instanceof Error ? error.message : String(error);
    return { ...refused(1, `the file is not valid YAML: ${reason}`), lineOf };
  }
}

/** The offset of an alias within the value that it stands for; such a value has no end. */
function findRecursiveAlias(document: Document.Parsed): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Alias(_, alias, ancestors) {
      const target = alias.resolve(document);
      if (!ancestors.some((node) => node === target)) return undefined;
      offset = alias.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

function findLine(document: Document.Parsed, lines: LineCounter, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const name of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? key.value : key) === name);
      if (pair === undefined) break;
      if (isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      offset = (node as { range?: [number, number, number] } | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}

function refused(line: number | undefined, message: string): YamlFile {
  return { value: undefined, errors: [{ line, message }], warnings: [], lineOf: () => 1 };
}

function countLines(text: string): number {
  return text.split('\n').length;
}

function describeReadError(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'the file does not exist',
    EISDIR: 'it is a folder',
    EACCES: 'this user may not read it',
  };
  return reasons[code] ?? code;
}
