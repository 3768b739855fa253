import { readFile } from 'node:fs/promises';
import { readSecretFile, renderTable } from '@ssb/platform';
import { parseScope } from '../domain/scopes.js';
import { MAX_GRACE_SECONDS, MAX_SECRET_LENGTH, MIN_SECRET_LENGTH } from '../accounts/account.repository.js';
import type { AccountResponse, AccountView } from '../accounts/accounts.dto.js';
import type { AdminSettings } from '../settings.js';
import { AdminClient } from './admin-client.js';
import { parseCommandLine, required, UsageError, type Values } from './command-line.js';

/** What the command meets outside: the service's own settings, where it runs beside it, and standard input. */
export interface CommandContext {
  readonly settings: AdminSettings;
  readonly readStdin: () => Promise<string>;
}

/**
 * Runs the accounts command and returns what it prints.
 * @throws UsageError, AdminApiError, SecretFileError
 */
export async function runAccountsCommand(
  args: readonly string[],
  surroundings: CommandContext,
): Promise<string> {
  const { verb, values } = parseCommandLine(args);
  const json = values.json === true;
  const print = <T>(answer: T, describe: (answer: T) => string): string =>
    json ? JSON.stringify(answer, undefined, 2) : describe(answer);
  switch (verb) {
    case 'create': {
      const request = await createRequestOf(values, surroundings);
      return print(await (await doorOf(values, surroundings)).create(request), describeAnswer);
    }
    case 'list':
      return print(await (await doorOf(values, surroundings)).list(), accountTable);
    case 'rotate': {
      const clientId = required(values, 'client-id');
      const request = {
        clientId,
        graceSeconds: graceOf(values),
        ...(await givenSecret(values, surroundings)),
      };
      return print(await (await doorOf(values, surroundings)).rotate(request), describeAnswer);
    }
    case 'disable':
    case 'enable': {
      const clientId = required(values, 'client-id');
      const door = await doorOf(values, surroundings);
      return print(await door.setDisabled(clientId, verb === 'disable'), () => `${clientId} is ${verb}d.`);
    }
    default:
      return verb satisfies never;
  }
}

async function createRequestOf(values: Values, surroundings: CommandContext): Promise<object> {
  const clientId = required(values, 'client-id');
  const scopes = values.scope ?? [];
  if (scopes.length === 0) throw new UsageError('--scope is missing');
  const wrong = scopes.find((text) => parseScope(text) === undefined);
  if (wrong !== undefined) throw new UsageError(`not <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>: ${wrong}`);
  if (values['if-missing'] === true && values.replace === true)
    throw new UsageError('--if-missing and --replace exclude each other');
  const ifExists = values['if-missing'] === true ? 'keep' : values.replace === true ? 'replace' : 'refuse';
  const secret = await givenSecret(values, surroundings);
  return { clientId, scopes, bound: values.bound === true, ifExists, ...secret };
}

/** The door's address and secret: as told, else as the service's own settings have them. */
async function doorOf(values: Values, { settings }: CommandContext): Promise<AdminClient> {
  const url = values.url ?? `http://127.0.0.1:${settings.ADMIN_PORT}`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError('--url takes an address that starts with http:// or https://');
  const file = values['secret-file'] ?? settings.ADMIN_SECRET_FILE;
  if (!file) throw new UsageError('--secret-file is missing, and ADMIN_SECRET_FILE is not set');
  return new AdminClient(url.replace(/\/+$/, ''), (await readSecretFile(file)).toString());
}

function graceOf({ grace = '0' }: Values): number {
  const seconds = /^\d{1,9}$/.test(grace) ? Number(grace) : Number.NaN;
  if (!(seconds <= MAX_GRACE_SECONDS))
    throw new UsageError(`--grace takes a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}`);
  return seconds;
}

/** White space at the ends does not count: an editor's or a shell's last newline is no part of a secret. */
async function givenSecret(
  values: Values,
  { readStdin }: CommandContext,
): Promise<{ readonly secret?: string }> {
  const path = values['client-secret-file'];
  const fromStdin = values['client-secret-stdin'] === true;
  if (path !== undefined && fromStdin)
    throw new UsageError('--client-secret-file and --client-secret-stdin exclude each other');
  if (path === undefined && !fromStdin) return {};
  const secret = (path === undefined ? await readStdin() : await readFile(path, 'utf8')).trim();
  if (secret.length < MIN_SECRET_LENGTH || secret.length > MAX_SECRET_LENGTH)
    throw new UsageError(`a client secret has ${MIN_SECRET_LENGTH} to ${MAX_SECRET_LENGTH} characters`);
  return { secret };
}

/** Accounts as a table for people. */
function accountTable(accounts: readonly AccountView[]): string {
  if (accounts.length === 0) return 'There are no accounts. accounts create makes one; --help tells how.';
  const head = ['client', 'state', 'bound', 'changed', 'scopes'];
  const rows = accounts.map((account) => [
    account.clientId,
    account.disabled ? 'disabled' : 'enabled',
    account.bound ? 'yes' : 'no',
    account.changedAt.replace(/\.\d+Z$/, 'Z'),
    account.scopes.join(' '),
  ]);
  return renderTable(head, rows);
}

/** What was done, for people; with the secret that was made, this once. */
function describeAnswer({ outcome, account, secret }: AccountResponse): string {
  const sentence = `${account.clientId} ${SENTENCES[outcome]}`;
  const grace =
    account.previousSecretUntil === undefined
      ? []
      : [`The old secret is good until ${account.previousSecretUntil}.`];
  const barred = account.disabled ? ['It is disabled: no token is issued to it before it is enabled.'] : [];
  const toAccountView = secret === undefined ? [] : ['Its secret, toAccountView this once:', secret];
  return [sentence, ...grace, ...barred, ...toAccountView].join('\n');
}

const SENTENCES: Readonly<Record<AccountResponse['outcome'], string>> = {
  created: 'is created.',
  replaced: 'is replaced.',
  kept: 'is there already; nothing is changed.',
  rotated: 'has a new secret.',
};
