import { isUtf8 } from 'node:buffer';
import { ConfigurationError, secretHashSchema, type SecretHash } from '@ssb/platform';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { RIGHTS, type Right } from './rights.js';

/** A user as the operator configures it. */
export interface ConfiguredUser {
  readonly name: string;
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
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

const MAX_USERS = 1_000;

const user = z
  .strictObject({
    name: z.string().regex(/^[^:\p{Cc}]{1,128}$/u, 'takes 1 to 128 characters without a colon'),
    password: z.string().min(1).max(1_024).optional(),
    passwordHash: z.string().max(1_024).optional(),
    rights: z.array(z.enum(RIGHTS)).min(1, `takes one or more of ${RIGHTS.join(', ')}`),
  })
  .refine(({ password, passwordHash }) => (password === undefined) !== (passwordHash === undefined), {
    message: 'takes either password or passwordHash',
  });

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

const PASSWORD_HASH =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,128})\$([A-Za-z0-9+/]{24,128})$/;

/** Formats a hash as one line: the PHC string format, base64 without padding. */
export function formatPasswordHash({ cost, blockSize, parallelization, salt, hash }: SecretHash): string {
  const parameters = `ln=${Math.log2(cost)},r=${blockSize},p=${parallelization}`;
  return `$scrypt$${parameters}$${salt.replace(/=+$/, '')}$${hash.replace(/=+$/, '')}`;
}

/** @throws Error that names the user, for another format or for costs that are too low or too high */
export function parsePasswordHash(name: string, text: string): SecretHash {
  const [, log, blockSize, parallelization, salt = '', hash = ''] = PASSWORD_HASH.exec(text) ?? [];
  const result = secretHashSchema.safeParse({
    algorithm: 'scrypt',
    cost: 2 ** Number(log),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: padBase64(salt),
    hash: padBase64(hash),
  });
  if (result.success) return result.data;
  throw new ConfigurationError(
    `The password hash of the user ${name} is refused: it is not a scrypt hash of the form $scrypt$ln=14,r=8,p=1$<salt>$<hash>. Create one with the hash-password command.`,
  );
}

function padBase64(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
}
