import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Scope, parseScope, writeScope } from '../domain/scopes.js';
import { isThere } from '../files/is-there.js';
import type { Account } from './account-store.js';
import { readAccountsFile, writeAccountsFile } from './accounts-file.js';
import { generateSecret, hashSecret } from './secret-hash.js';

export const USAGE = `usage:
  accounts create --file <accounts.json> --client-id <name> --scope '<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>' [--scope …]
                  [--secret-file <path> | --secret-stdin] [--replace]
  accounts list   --file <accounts.json>
Without a secret of yours, one is made and printed once.`;

/** The command was called in a way that it does not know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Secrets are compared by hash, but a short one can be guessed all the same. */
const SHORTEST_SECRET = 16;

const OPTIONS = {
  file: { type: 'string' },
  'client-id': { type: 'string' },
  scope: { type: 'string', multiple: true },
  'secret-file': { type: 'string' },
  'secret-stdin': { type: 'boolean' },
  replace: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/**
 * Runs the command and returns what it prints.
 * @throws UsageError, AccountsFileError
 */
export async function runAccountsCommand(args: string[], readStdin: () => Promise<string>): Promise<string> {
  const { values, positionals } = parseCommandLine(args);
  const [verb, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`unexpected: ${more.join(' ')}`);
  const file = values.file ?? missing('--file');
  switch (verb) {
    case 'create':
      return create(file, values, readStdin);
    case 'list':
      return list(file);
    default:
      throw new UsageError(`expected create or list${verb === undefined ? '' : `, not ${verb}`}`);
  }
}

async function create(file: string, values: Values, readStdin: () => Promise<string>): Promise<string> {
  const clientId = values['client-id'] ?? missing('--client-id');
  const scopes = (values.scope ?? missing('--scope')).map(readScope);
  const accounts = (await isThere(file)) ? await readAccountsFile(file) : [];
  const others = accounts.filter((account) => account.clientId !== clientId);
  if (others.length < accounts.length && values.replace !== true)
    throw new UsageError(`${clientId} is there already; --replace gives it these scopes and a new secret`);
  const given = await readGivenSecret(values, readStdin);
  const secret = given ?? generateSecret();
  const account: Account = { clientId, secret: await hashSecret(secret), scopes };
  await writeAccountsFile(file, [...others, account]);
  return given === undefined ? secret : `${clientId} is in ${file}`;
}

async function list(file: string): Promise<string> {
  const accounts = await readAccountsFile(file);
  return accounts.map(({ clientId, scopes }) => `${clientId} ${scopes.map(writeScope).join(' ')}`).join('\n');
}

/** White space at the ends does not count: an editor's or a shell's last newline is no part of a secret. */
async function readGivenSecret(
  values: Values,
  readStdin: () => Promise<string>,
): Promise<string | undefined> {
  const path = values['secret-file'];
  if (path !== undefined && values['secret-stdin'] === true)
    throw new UsageError('--secret-file and --secret-stdin exclude each other');
  if (path === undefined && values['secret-stdin'] !== true) return undefined;
  const secret = (path === undefined ? await readStdin() : await readFile(path, 'utf8')).trim();
  if (secret.length < SHORTEST_SECRET || secret.length > 1024)
    throw new UsageError(`a secret has ${SHORTEST_SECRET} to 1024 characters`);
  return secret;
}

function readScope(text: string): Scope {
  return parseScope(text) ?? wrong(`not <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>: ${text}`);
}

function parseCommandLine(args: string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function missing(option: string): never {
  return wrong(`${option} is missing`);
}

function wrong(message: string): never {
  throw new UsageError(message);
}
