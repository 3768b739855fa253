import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '@ssb/tools';

const DOCUMENT = join(REPOSITORY_ROOT, 'apps/api/openapi.json');
/** Several times the duration of a run. */
const TIMEOUT_MS = 240_000;
/** The same requests each time, as far as the responses are the same. */
const DEFAULT_SEED = '35';

/** Schemathesis, as `npm run check:deploy` has installed it. */
interface Fuzzer {
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Values of parameters that exist, by operation (`GET /v1/events`) and parameter. */
export type KnownValues = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export interface FuzzOptions {
  readonly baseUrl: string;
  /** Files of the run. */
  readonly folder: string;
  readonly token: string;
  readonly knownValues?: KnownValues;
  /** `positive`: requests that agree with the document. `all`: also others. */
  readonly mode: 'positive' | 'all';
  /** `coverage`: boundary values of each parameter. `fuzzing`: random ones. */
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing')[];
}

/** What Schemathesis found. */
export interface FuzzReport {
  /** Requests that were sent and whose responses were checked. */
  readonly cases: number;
  /** Responses that differ from the document, each with its request. */
  readonly failures: readonly string[];
  /** Operations that never had a resource. */
  readonly withoutResource: readonly string[];
}

interface JsonReport {
  readonly complete: boolean;
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly unknown[];
  readonly errors: readonly unknown[];
  readonly warnings: { readonly missing_test_data: readonly string[] };
}

/** Sends requests that follow from the document, and compares the responses with it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { folder, baseUrl, token, mode, phases } = options;
  const content = readDocument();
  const [document, config, report] = ['openapi.json', 'schemathesis.toml', 'report.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(document, JSON.stringify(closeObjects(content)));
  writeFileSync(config, toConfig(options, content));
  const output = await run(folder, [
    ...['--config-file', config, 'run', document, '--url', baseUrl, '--no-color'],
    ...['--mode', mode, '--phases', phases.join(','), '--max-examples', '1'],
    ...['--seed', process.env['FUZZ_SEED'] ?? DEFAULT_SEED, '--generation-database', 'none'],
    ...['--report', 'json', '--report-json-path', report],
    ...['--header', `Authorization: Bearer ${token}`],
  ]);
  const { complete, test_cases, failures, errors, warnings } = readReport(report, output);
  return {
    cases: test_cases.generated,
    failures: complete && failures.length + errors.length === 0 ? [] : [output],
    withoutResource: warnings.missing_test_data,
  };
}

function readReport(path: string, output: string): JsonReport {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JsonReport;
  } catch {
    throw new Error(`Schemathesis wrote no report. ${output}`);
  }
}

/** @returns what it printed */
async function run(cwd: string, args: readonly string[]): Promise<string> {
  const text = process.env['FUZZER'];
  if (text === undefined) throw new Error('FUZZER is missing. Run npm run check:deploy -- --only openapi.');
  const { command, environment } = JSON.parse(text) as Fuzzer;
  const [program = '', ...first] = command;
  const child = spawn(program, [...first, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], PYTHONUTF8: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return output;
}

/** A stream has no end; the tests of the API read it. */
const STREAM = '/v1/events/stream';

/** Operations whose requests need more than the right form: a type that exists, a participant of CONFIG_FILE. */
const WITH_FURTHER_RULES = [
  ...['/v1/backfills', '/v1/silences', '/v1/replay'],
  ...['/v1/dead-letters/retry', '/v1/deliveries/resend', '/v1/deliveries/skip'],
];

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security?: readonly unknown[];
}

const readDocument = (): OpenApiDocument => JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenApiDocument;

/** An operation that needs credentials, and the statuses that it documents. */
interface ProtectedOperation {
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly string[];
}

export function listProtectedOperations(): ProtectedOperation[] {
  return Object.entries(readDocument().paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security = [] }]) => security.length > 0)
      .map(([method, { responses }]) => ({
        method: method.toUpperCase(),
        path,
        statuses: Object.keys(responses),
      })),
  );
}

/** A cursor names a row. */
const findListings = ({ paths }: OpenApiDocument): string[] =>
  Object.keys(paths).filter((path) =>
    paths[path]?.['get']?.parameters?.some(({ name }) => name === 'cursor'),
  );

function toConfig({ knownValues = {} }: FuzzOptions, document: OpenApiDocument): string {
  const lines = [
    'continue-on-failure = true',
    'request-timeout = 40',
    // Each further one costs a request of each operation.
    'phases.coverage.unexpected-methods = ["PUT", "TRACE"]',
    '[[operations]]',
    `include-path = ${JSON.stringify(STREAM)}`,
    'enabled = false',
    '[[operations]]',
    `include-path = ${JSON.stringify([...WITH_FURTHER_RULES, ...findListings(document)])}`,
    'checks = { positive_data_acceptance = { enabled = false } }',
  ];
  for (const [operation, parameters] of Object.entries(knownValues))
    for (const [parameter, values] of Object.entries(parameters)) {
      const dictionary = JSON.stringify(`${operation} ${parameter}`);
      lines.push(
        `[dictionaries.${dictionary}]`,
        `values = ${JSON.stringify(values)}`,
        '[[operations]]',
        `include-name = ${JSON.stringify(operation)}`,
        `parameters = { ${parameter} = { dictionary = ${dictionary}, probability = 0.5 } }`,
      );
    }
  return lines.join('\n');
}

/** A member of a response that the document does not have is a failure. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closeObjects(each)]));
  const isOpen = closed['type'] === 'object' && 'properties' in closed && !('additionalProperties' in closed);
  return isOpen ? { ...closed, additionalProperties: false } : closed;
}
