import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import regexpTree from 'regexp-tree';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../system/processes.js';

/** RE2 refuses a higher count, also of repetitions within repetitions. */
const MAX_REPETITIONS = 1_000;

/** A node of regexp-tree, whose types lack some of its nodes. */
interface Node {
  readonly type: string;
  readonly kind?: string;
  readonly name?: string;
  readonly value?: string | number;
  readonly shorthand?: boolean;
  readonly from?: number;
  readonly to?: number;
  readonly quantifier?: Node;
  readonly expressions?: readonly Node[];
}

/** What RE2, and so Go, cannot compile or reads differently. @throws SyntaxError when JSON Schema cannot use it either */
function listRe2Problems(pattern: string): string[] {
  const problems: string[] = [];
  visit(regexpTree.parse(String(new RegExp(pattern, 'u'))), 1);
  return problems;

  function visit(node: Node, outer: number): void {
    const problem = findProblem(node);
    if (problem !== undefined) problems.push(problem);
    const { from = 1, to = from } = node.quantifier ?? {};
    const repetitions = node.type === 'Repetition' ? outer * Math.max(1, to) : outer;
    if (repetitions > MAX_REPETITIONS && repetitions > outer) problems.push(`${repetitions} repetitions`);
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, repetitions);
  }
}

function findProblem({ type, kind = '', name, value, shorthand, expressions }: Node): string | undefined {
  switch (type) {
    case 'Assertion':
      return kind.startsWith('Look') ? 'look-around' : undefined;
    case 'Backreference':
      return 'a backreference';
    case 'Group':
      return name === undefined ? undefined : 'a named group';
    case 'Char':
      return ['meta', 'simple', 'hex'].includes(kind) ? undefined : `the escape ${value}`;
    case 'UnicodeProperty':
      return shorthand === true && /^[A-Z][a-z]?$/.test(String(value)) ? undefined : `the property ${value}`;
    case 'CharacterClass':
      return expressions?.length === 0 ? 'an empty class' : undefined;
    default:
      return undefined;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The documents that clients read: OpenAPI, AsyncAPI and JSON Schema, wherever they are. */
function listPublished(): { file: string; document: unknown }[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.json', '*.yaml', '*.yml'], {
    cwd: REPOSITORY_ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && !file.startsWith('tools/'))
    .flatMap((file) => {
      const text = readFileSync(join(REPOSITORY_ROOT, file), 'utf8');
      return /^\s*"?(openapi|asyncapi|\$schema)"?:\s*["']?(\d|https?:\/\/json-schema\.org)/m.test(text)
        ? [{ file, document: file.endsWith('.json') ? JSON.parse(text) : parse(text) }]
        : [];
    });
}

/** The values of `pattern`, and the names in `patternProperties`, at every depth. */
function listPatterns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => [
    ...(name === 'pattern' && typeof member === 'string' ? [member] : []),
    ...(name === 'patternProperties' ? Object.keys(member as object) : []),
    ...listPatterns(member),
  ]);
}

it.each([
  ['a(?=b)', 'look-around'],
  ['^(?!0000)\\d{4}', 'look-around'],
  ['(?<=a)b', 'look-around'],
  ['(?<!a)b', 'look-around'],
  ['(a)\\1', 'a backreference'],
  ['(?<year>\\d)', 'a named group'],
  ['\\u00e9', 'the escape \\u00e9'],
  ['\\cA', 'the escape \\cA'],
  ['\\0', 'the escape \\0'],
  ['\\p{Script=Greek}', 'the property Greek'],
  ['\\p{Letter}', 'the property Letter'],
  ['[^]', 'an empty class'],
  ['a{1001}', '1001 repetitions'],
  ['(?:a{2,50}){30}', '1500 repetitions'],
])('%s has %s', (pattern, problem) => {
  expect(listRe2Problems(pattern)).toEqual([problem]);
});

it('clients in Go can compile every published pattern', () => {
  const published = listPublished();
  expect(published.map(({ file }) => file)).toEqual(
    expect.arrayContaining([
      'apps/broker/openapi.yaml',
      'apps/gateway/rest.yaml',
      'apps/gateway/ws.yaml',
      'apps/reporting/openapi.json',
      'helm/settlement-bus-bridge/values.schema.json',
      'libs/events/schemas/settlementbus.bridge.heartbeat.v1.json',
    ]),
  );
  const found = published.flatMap(({ file, document }) =>
    [...new Set(listPatterns(document))].flatMap((pattern) =>
      listRe2Problems(pattern).map((problem) => `${file}: ${pattern} has ${problem}.`),
    ),
  );
  expect(found).toEqual([]);
});
