import { isUtf8 } from 'node:buffer';
import { ConfigurationError, exactHttpUrl } from '@ssb/platform';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { accessFileSchema, type AccessFileContent } from './access-schema.js';

/** API_ACCESS_FILE, or the file of the profiles, is invalid. Each problem is a sentence with its place; none holds a hash or a token. */
export class AccessFileError extends ConfigurationError {
  override readonly name = 'AccessFileError';

  /** @param problems follow the path in a sentence */
  constructor(
    readonly path: string,
    problems: readonly string[],
  ) {
    super(problems.slice(0, MAX_PROBLEMS).map((problem) => `${path}: ${problem}.`));
  }
}

const MAX_PROBLEMS = 10;

/** @param path for the errors @throws AccessFileError */
export const parseAccessFile = (path: string, content: Buffer): AccessFileContent =>
  parseFile(path, content, accessFileSchema);

const text = z.string().min(1).max(4_096);

const profileSchema = z.strictObject({
  url: exactHttpUrl(),
  token: text.optional(),
  tokenFile: text.optional(),
  caFile: text.optional(),
  certificateFile: text.optional(),
  keyFile: text.optional(),
});

/** How `busbridge` reaches one bridge, and as whom. */
export type Profile = z.output<typeof profileSchema>;

/** The bridges by name. */
const profilesSchema = z.strictObject({
  default: text.optional(),
  profiles: z.record(z.string().max(200), profileSchema),
});

/** The profiles of `busbridge`. @param path for the errors @throws AccessFileError */
export const parseProfiles = (path: string, content: Buffer): z.output<typeof profilesSchema> =>
  parseFile(path, content, profilesSchema);

function parseFile<T extends z.ZodType>(path: string, content: Buffer, schema: T): z.output<T> {
  if (!isUtf8(content)) throw new AccessFileError(path, ['the file is not UTF-8; save it as UTF-8']);
  const value = parseYaml(path, content.toString('utf8'));
  const { data, error } = schema.safeParse(value ?? {}, { error: describeIssue });
  if (data !== undefined) return data;
  const issues = error?.issues ?? [];
  throw new AccessFileError(
    path,
    issues.map((issue) => `${issue.path.join('.') || 'the file'} ${issue.message}`),
  );
}

/** The message of the YAML parser contains the line, which may hold a hash. */
function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError) {
      const line = error.linePos?.[0].line ?? '?';
      throw new AccessFileError(path, [`line ${line} is not valid YAML (${error.code})`]);
    }
    // Aliases that grow without bound.
    throw new AccessFileError(path, ['the file has too many aliases; write their values out']);
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a group of keys',
  string: 'a text; put numbers in quotes',
};

/** Zod's own messages as the end of a sentence that begins with the place. Undefined: the message of the schema. */
function describeIssue(issue: {
  readonly code?: string;
  readonly input?: unknown;
  readonly expected?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
}): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.input === undefined ? 'is missing; it ' : ''}must be ${TYPE_NAMES[String(issue.expected)] ?? String(issue.expected)}`;
    case 'invalid_value':
      return `must be ${(issue.values ?? []).join(' or ')}`;
    case 'too_small':
      return 'must not be empty';
    case 'too_big':
      return `must have at most ${String(issue.maximum)} entries or characters`;
    case 'unrecognized_keys':
      return `has unknown keys: ${(issue.keys ?? []).join(', ')}`;
    default:
      return undefined;
  }
}
