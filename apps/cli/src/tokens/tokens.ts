import { existsSync } from 'node:fs';
import { checkOperatorConfig } from '@ssb/config';
import {
  addToken,
  createAccessToken,
  isAccessName,
  isExpired,
  removeToken,
  type AccessRole,
  type AccessToken,
} from '@ssb/keys';
import { renderFittedTable, standardError, standardOutput, type Column } from '@ssb/platform/cli';
import { toCsv } from '@ssb/platform/csv';
import { CommandError, EXIT } from '../exit.js';
import { configPath } from '../operator-config.js';
import type { OutputOptions } from '../options.js';
import { printResult } from '../output/listing.js';
import { showTime } from '../output/text.js';
import { commandEnvironment } from '../settings.js';
import { TokenFile } from './token-file.js';

export interface FileOptions extends OutputOptions {
  readonly file?: string;
}

export interface CreateOptions extends FileOptions {
  readonly name: string;
  readonly role: AccessRole;
  readonly participant?: string[];
  readonly allParticipants?: true;
  readonly expires: Date;
}

export async function createToken(options: CreateOptions): Promise<void> {
  const { name, role, participant, allParticipants, expires, file: path, output } = options;
  if ((participant === undefined) === (allParticipants === undefined))
    throw new CommandError(
      'Say what the token may see, with either --participant or --all-participants.',
      EXIT.usage,
    );
  if (!isAccessName(name))
    throw new CommandError(
      '--name must be a text of 1 to 200 characters, without control characters.',
      EXIT.usage,
    );
  const file = TokenFile.find(path);
  warnOfUnknown(participant ?? []);
  const participants = participant === undefined ? 'all' : [...new Set(participant)];
  const token = createAccessToken({ name, role, participants, expiresAt: expires }, new Date());
  await file.change((text) => addToken(text, token.entry), { creates: true });
  if (output === 'json') return standardOutput.writeJson({ ...show(token.entry), token: token.text });
  standardOutput.writeLine(token.text);
  standardError.writeLine(
    `The token ${token.entry.id} of ${name} is valid until ${token.entry.expiresAt}. It is not shown again: ${file.path} has only its hash.`,
  );
  standardError.writeLine(
    'The API accepts it once it has read the file again: within TLS_RELOAD_INTERVAL_MS of the API, 10 s by default.',
  );
}

/** When CONFIG_FILE can be read here. */
function warnOfUnknown(codes: readonly string[]): void {
  const file = configPath();
  if (!existsSync(file)) return;
  const known = checkOperatorConfig(file, {
    environment: commandEnvironment(),
    allowUnset: true,
  }).config?.participants.map(({ code }) => code);
  const unknown = known === undefined ? [] : codes.filter((code) => !known.includes(code));
  if (unknown.length > 0)
    standardError.writeLine(
      `${file} has no participant ${unknown.join(', ')}: the token sees nothing of it. It has ${known?.join(', ')}.`,
    );
}

export async function listTokens({ file: path, output }: FileOptions): Promise<void> {
  const file = TokenFile.find(path);
  const { tokens } = await file.read();
  const listed = tokens.map(show);
  if (output === 'csv') standardOutput.writeExact(toCsv(listed, MEMBERS));
  else
    printResult({ tokens: listed }, output, () =>
      listed.length === 0
        ? `${file.path} has no tokens.`
        : renderFittedTable(COLUMNS, listed, standardOutput.width),
    );
  file.warnIfOpen();
}

export async function revokeToken(given: string, { file: path, output }: FileOptions): Promise<void> {
  const file = TokenFile.find(path);
  let revoked: AccessToken | undefined;
  await file.change((text, tokens) => {
    revoked = findToken(file, tokens, given);
    return removeToken(text ?? '', revoked.id);
  });
  if (revoked !== undefined)
    printResult(show(revoked), output, ({ id, name }) => `The token ${id} of ${name} is revoked.`);
}

function findToken({ path }: TokenFile, tokens: readonly AccessToken[], given: string): AccessToken {
  const named = tokens.filter(({ id, name }) => id === given || name === given);
  const token = named.find(({ id }) => id === given) ?? named[0];
  if (token === undefined)
    throw new CommandError(`${path} has no token ${given}. "busbridge tokens list" shows ids and names.`);
  if (token.id !== given && named.length > 1)
    throw new CommandError(
      `${named.length} tokens have the name ${given}: give the id of one, ${named.map(({ id }) => id).join(' or ')}.`,
      EXIT.usage,
    );
  return token;
}

type ListedToken = Omit<AccessToken, 'hash'> & { readonly expired: boolean };

const show = ({ id, name, role, participants, createdAt, expiresAt }: AccessToken): ListedToken => {
  const expired = isExpired({ expiresAt }, Date.now());
  return { id, name, role, participants, createdAt, expiresAt, expired };
};

const MEMBERS = ['id', 'name', 'role', 'participants', 'expired', 'expiresAt', 'createdAt'] as const;

const COLUMNS: readonly Column<ListedToken>[] = [
  { head: 'id', cell: ({ id }) => id, whole: true },
  { head: 'name', cell: ({ name }) => name },
  { head: 'role', cell: ({ role }) => role, rank: 1 },
  {
    head: 'participants',
    cell: ({ participants }) => (participants === 'all' ? 'all' : participants.join(', ')),
    rank: 2,
  },
  {
    head: 'state',
    cell: ({ expired }) => (expired ? 'expired' : 'valid'),
    style: ({ expired }) => (expired ? 'bad' : undefined),
  },
  { head: 'expires', cell: ({ expiresAt }) => showTime(expiresAt), whole: true },
  { head: 'created', cell: ({ createdAt }) => showTime(createdAt), rank: 3, whole: true },
];
