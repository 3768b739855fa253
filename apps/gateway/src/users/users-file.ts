import { isUtf8 } from 'node:buffer';
import { ConfigurationError } from '@ssb/platform';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { RIGHTS, type Right } from './rights.js';

/** A user as the operator configures it. */
export interface ConfiguredUser {
  readonly name: string;
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
  /** Hashes of several passwords, each of which is accepted. */
  readonly passwordHashes?: readonly string[] | undefined;
  readonly rights: readonly Right[];
}

/** USERS_FILE is invalid. The message names the location of the fault, never its content, which may be a password. */
export class UsersFileError extends ConfigurationError {
  override readonly name = 'UsersFileError';

  constructor(
    readonly path: string,
    reason: string,
  ) {
    super(`The users file ${path} cannot be used: ${reason}.`);
  }
}

/** The name of a user ends at the first colon of the credentials (RFC 7617). */
export const USER_NAME = /^[^:\p{Cc}]{1,128}$/u;

const MAX_USERS = 1_000;
/** A rotation needs two; each costs time when a wrong password is checked. */
const MAX_PASSWORDS = 3;

const user = z
  .strictObject({
    name: z.string().regex(USER_NAME, 'takes 1 to 128 characters without a colon'),
    password: z.string().min(1).max(1_024).optional(),
    passwordHash: z.string().max(1_024).optional(),
    passwordHashes: z.array(z.string().max(1_024)).min(1).max(MAX_PASSWORDS).optional(),
    rights: z.array(z.enum(RIGHTS)).min(1, `takes one or more of ${RIGHTS.join(', ')}`),
  })
  .refine(
    ({ password, passwordHash, passwordHashes }) =>
      [password, passwordHash, passwordHashes].filter((each) => each !== undefined).length === 1,
    { message: 'takes either password or passwordHash or passwordHashes' },
  );

const usersFile = z.strictObject({
  users: z
    .array(user)
    .max(MAX_USERS)
    .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, 'names a user twice'),
});

/** Parses the list `users:` of USERS_FILE, UTF-8; `path` is for the error. @throws UsersFileError */
export function parseUsersFile(path: string, content: Buffer): readonly ConfiguredUser[] {
  if (!isUtf8(content)) throw new UsersFileError(path, 'it is not UTF-8');
  const result = usersFile.safeParse(parseYaml(path, content.toString('utf8')));
  if (result.success) return result.data.users;
  const issues = result.error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issue.message}`);
  throw new UsersFileError(path, issues.slice(0, 5).join('; '));
}

/** Converts an error of the file system to a UsersFileError; returns any other unchanged. */
export function toUsersFileError(path: string, error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('syscall' in error && 'code' in error)) return error;
  return new UsersFileError(path, `it cannot be read (${String(error.code)})`);
}

/** Reports only the line number, because the message of the YAML parser contains the line, which may be a password. */
function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new UsersFileError(
      path,
      `it is not YAML (${error.code} at line ${error.linePos?.[0].line ?? '?'})`,
    );
  }
}
