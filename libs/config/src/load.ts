import { warning, type ConfigIssue } from './config-issue.js';
import { findConfigIssues } from './find-config-issues.js';
import { replacePlaceholders } from './placeholders.js';
import { operatorConfigSchema, type OperatorConfig } from './schema.js';
import { parseYamlFile, readYamlFile, type ConfigProblem, type YamlFile } from './yaml-file.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with the operator's file, in the order of its lines. */
export interface ConfigReport {
  readonly errors: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  /** The configuration; undefined when there are errors. */
  readonly config: OperatorConfig | undefined;
}

export interface CheckOptions {
  readonly environment: Environment;
  /**
   * An unset environment variable is a warning, and its value is not checked. `in-alerts`: only what `alerts` alone uses may be unset, without a
   * warning. Default false.
   */
  readonly allowUnset?: boolean | 'in-alerts';
  readonly now?: Date;
  /** The content of the file. Default: it is read. */
  readonly content?: Buffer;
}

/** The operator's file is missing or invalid. */
export class OperatorConfigError extends Error {
  override readonly name = 'OperatorConfigError';
  readonly startFault = 'configuration';
  /** Each one is a sentence with file and line. */
  readonly problems: readonly string[];

  constructor(path: string, errors: readonly ConfigProblem[]) {
    const problems = errors.map((problem) => formatProblem(path, problem));
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** One sentence with file and line. */
export function formatProblem(path: string, { line, message }: ConfigProblem): string {
  return line === undefined ? `${path} ${message}.` : `${path}:${line}: ${message}.`;
}

/**
 * Reads and checks the operator's YAML file. `${NAME}` in a value is replaced by the environment variable NAME, so that the file needs no
 * secrets.
 * @param onWarning called with a sentence for each warning
 * @throws OperatorConfigError
 */
export function loadOperatorConfig(
  path: string,
  environment: Environment,
  onWarning: (warning: string) => void = () => undefined,
  options: Omit<CheckOptions, 'environment'> = {},
): OperatorConfig {
  const { config, errors, warnings } = checkOperatorConfig(path, { ...options, environment });
  if (config === undefined) throw new OperatorConfigError(path, errors);
  for (const warning of warnings) onWarning(formatProblem(path, warning));
  return config;
}

/** Checks the operator's file: its syntax, its values, and whether they make sense. Never throws. */
export function checkOperatorConfig(
  path: string,
  { environment, allowUnset = false, now = new Date(), content }: CheckOptions,
): ConfigReport {
  const file = content === undefined ? readYamlFile(path) : parseYamlFile(content);
  if (file.errors.length > 0) return createReport(file.errors, file.warnings, undefined);
  const { value } = replacePlaceholders(file.value, environment);
  const required = allowUnset === 'in-alerts' ? withoutAlerts(file.value) : file.value;
  const { unset } = replacePlaceholders(required, environment);
  const unsetProblems = unset.map(({ name, path: place }) => ({
    line: file.lineOf(place),
    message: `${place.join('.')} needs the environment variable ${name}, which is not set`,
    unset: name,
  }));
  const result = operatorConfigSchema.safeParse(value, { error: describeIssue });
  const issues = [
    ...(result.success ? findConfigIssues(result.data, now) : []),
    ...findFormerKinds(file.value),
  ];
  const found = (severity: 'error' | 'warning'): ConfigProblem[] =>
    issues
      .filter((issue) => issue.severity === severity)
      .map((issue) => toProblem(file, issue.path, issue.message));
  const invalid = (result.error?.issues ?? []).flatMap((issue) => toProblems(file, issue));
  return createReport(
    [...invalid, ...found('error'), ...(allowUnset === true ? [] : unsetProblems)],
    [...file.warnings, ...found('warning'), ...(allowUnset === true ? unsetProblems : [])],
    result.data,
  );
}

/** The schema reads `console` as `log`. */
function findFormerKinds(value: unknown): ConfigIssue[] {
  const { alerts } = (value ?? {}) as { readonly alerts?: { readonly sinks?: unknown } };
  if (!Array.isArray(alerts?.sinks)) return [];
  return alerts.sinks.flatMap((sink: unknown, index) =>
    typeof sink === 'object' && sink !== null && 'kind' in sink && sink.kind === 'console'
      ? [
          warning(
            ['alerts', 'sinks', index, 'kind'],
            'is console, the former name of log; write log, because the next release refuses console',
          ),
        ]
      : [],
  );
}

function withoutAlerts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'alerts'));
}

function createReport(
  errors: readonly ConfigProblem[],
  warnings: readonly ConfigProblem[],
  config: OperatorConfig | undefined,
): ConfigReport {
  const byLine = (a: ConfigProblem, b: ConfigProblem): number => (a.line ?? 0) - (b.line ?? 0);
  return {
    errors: [...errors].sort(byLine),
    warnings: [...warnings].sort(byLine),
    config: errors.length > 0 ? undefined : config,
  };
}

type Issue = NonNullable<ReturnType<typeof operatorConfigSchema.safeParse>['error']>['issues'][number];

function toProblems(file: YamlFile, issue: Issue): ConfigProblem[] {
  if (issue.code !== 'unrecognized_keys') return [toProblem(file, issue.path, issue.message)];
  // The schema writes one line for each unknown key.
  const messages = issue.message.split('\n');
  return issue.keys.map((key, index) => toProblem(file, [...issue.path, key], messages[index] ?? ''));
}

function toProblem(file: YamlFile, path: readonly PropertyKey[], message: string): ConfigProblem {
  return { line: file.lineOf(path), message: `${path.join('.') || 'the file'} ${message}` };
}

/** Zod's own messages as the end of a sentence that begins with the place. Undefined: the message of the schema. */
function describeIssue(issue: {
  readonly code?: string;
  readonly input?: unknown;
  readonly expected?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly origin?: unknown;
  readonly values?: readonly unknown[];
}): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing; it must be ${nameType(issue.expected)}`
        : `must be ${nameType(issue.expected)}`;
    case 'too_small':
      if (issue.origin === 'array') return 'must have at least one entry';
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${String(issue.maximum)} entries`;
      return issue.origin === 'string'
        ? `must have at most ${String(issue.maximum)} characters`
        : `must be at most ${String(issue.maximum)}`;
    case 'invalid_value':
      return `must be ${(issue.values ?? []).join(' or ')}`;
    case 'invalid_union':
      return 'must be log, webhook, email, slack, teams, pagerduty or alertmanager';
    default:
      return undefined;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a whole number',
  object: 'a group of keys',
  string: 'a text; put numbers in quotes',
};

function nameType(expected: unknown): string {
  return TYPE_NAMES[String(expected)] ?? String(expected);
}
