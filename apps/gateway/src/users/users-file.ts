import { secretHashSchema, type SecretHash } from '@ssb/platform';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { RIGHTS, type Right } from './rights.js';

/** A user as an operator writes it down. */
export interface ListedUser {
  readonly name: string;
  readonly password?: string | undefined;
  readonly passwordHash?: string | undefined;
  readonly rights: readonly Right[];
}

/** The file of users cannot be used. Says where; never what stands there, which may be a password. */
export class UsersFileError extends Error {
  override readonly name = 'UsersFileError';

  constructor(path: string, reason: string) {
    super(`The users file ${path} cannot be used: ${reason}.`);
  }
}

const MOST_USERS = 1_000;

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

const file = z.strictObject({
  users: z
    .array(user)
    .max(MOST_USERS)
    .refine((users) => new Set(users.map(({ name }) => name)).size === users.length, 'names a user twice'),
});

/** Reads `users:`, a list of name, password or passwordHash, and rights; `path` is for the error. @throws UsersFileError */
export function parseUsersFile(path: string, text: string): readonly ListedUser[] {
  const result = file.safeParse(parseYaml(path, text));
  if (result.success) return result.data.users;
  const places = result.error.issues.map((issue) => `${issue.path.join('.') || 'it'} ${issue.message}`);
  throw new UsersFileError(path, places.slice(0, 5).join('; '));
}

/** The file system's error in the words of this file; any other as it is. */
export function unreadable(path: string, error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('syscall' in error && 'code' in error)) return error;
  return new UsersFileError(path, `it cannot be read (${String(error.code)})`);
}

/** The parser's own message shows the line, which may hold a password: its place alone is told. */
function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new UsersFileError(path, `it is no YAML (${error.code} at line ${error.linePos?.[0].line ?? '?'})`);
  }
}

const PASSWORD_HASH =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,128})\$([A-Za-z0-9+/]{24,128})$/;

/** A hash as one line of text: the PHC string format, base64 without padding. */
export function writePasswordHash({ cost, blockSize, parallelization, salt, hash }: SecretHash): string {
  const parameters = `ln=${Math.log2(cost)},r=${blockSize},p=${parallelization}`;
  return `$scrypt$${parameters}$${salt.replace(/=+$/, '')}$${hash.replace(/=+$/, '')}`;
}

/** @throws Error that names the user when the text has another form, or costs that are too small to help or too large to bear */
export function readPasswordHash(name: string, text: string): SecretHash {
  const [, log, blockSize, parallelization, salt = '', hash = ''] = PASSWORD_HASH.exec(text) ?? [];
  const result = secretHashSchema.safeParse({
    algorithm: 'scrypt',
    cost: 2 ** Number(log),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: padded(salt),
    hash: padded(hash),
  });
  if (result.success) return result.data;
  throw new Error(
    `The password hash of the user ${name} is refused: it is no scrypt hash of the form $scrypt$ln=14,r=8,p=1$<salt>$<hash>, as the hash-password command makes them.`,
  );
}

function padded(base64: string): string {
  return base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
}
