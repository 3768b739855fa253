import { readFile } from 'node:fs/promises';
import { httpUrl, readSecretFile, renderTable } from '@ssb/platform';
import { MAX_GRACE_SECONDS, MAX_SECRET_LENGTH, MIN_SECRET_LENGTH } from '../accounts/account.repository.js';
import type { AccountResponse, AccountView } from '../accounts/accounts.dto.js';
import { parseScope } from '../domain/scopes.js';
import type { AdminSettings } from '../settings.js';
import { AdminClient } from './admin-client.js';
import { type OptionValues, parseCommandLine, requireOption, UsageError } from './command-line.js';

export interface CommandContext {
  readonly settings: AdminSettings;
  readonly readStdin: () => Promise<string>;
}

/**
 * Runs the accounts command and returns its output.
 * @throws UsageError, AdminApiError, SecretFileError
 */
export async function runAccountsCommand(args: readonly string[], context: CommandContext): Promise<string> {
  const { verb, values } = parseCommandLine(args);
  const print = <T>(result: T, describe: (result: T) => string): string =>
    values.json === true ? JSON.stringify(result, undefined, 2) : describe(result);
  switch (verb) {
    case 'create': {
      const request = await buildCreateRequest(values, context);
      const client = await createClient(values, context);
      return print(await client.create(request), describeAccount);
    }
    case 'list': {
      const client = await createClient(values, context);
      return print(await client.list(), renderAccounts);
    }
    case 'rotate': {
      const clientId = requireOption(values, 'client-id');
      const graceSeconds = parseGrace(values);
      const request = { clientId, graceSeconds, ...(await readClientSecret(values, context)) };
      const client = await createClient(values, context);
      return print(await client.rotate(request), describeAccount);
    }
    case 'disable':
    case 'enable': {
      const clientId = requireOption(values, 'client-id');
      const client = await createClient(values, context);
      return print(await client[verb](clientId), () => `${clientId} is ${verb}d.`);
    }
    default:
      return verb satisfies never;
  }
}

async function buildCreateRequest(values: OptionValues, context: CommandContext): Promise<object> {
  const clientId = requireOption(values, 'client-id');
  const scopes = values.scope ?? [];
  if (scopes.length === 0) throw new UsageError('--scope is missing');
  const malformed = scopes.find((text) => parseScope(text) === undefined);
  if (malformed !== undefined)
    throw new UsageError(`not <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>: ${malformed}`);
  if (values['if-missing'] === true && values.replace === true)
    throw new UsageError('--if-missing and --replace exclude each other');
  const ifExists = values['if-missing'] === true ? 'keep' : values.replace === true ? 'replace' : 'refuse';
  const secret = await readClientSecret(values, context);
  return { clientId, scopes, bound: values.bound === true, ifExists, ...secret };
}

/** Takes address and secret from the options, else from the settings of the service. */
async function createClient(values: OptionValues, { settings }: CommandContext): Promise<AdminClient> {
  const url = httpUrl().safeParse(values.url ?? `http://127.0.0.1:${settings.ADMIN_PORT}`);
  if (!url.success) throw new UsageError(`--url takes ${httpUrl().description}`);
  const file = values['secret-file'] ?? settings.ADMIN_SECRET_FILE;
  if (!file) throw new UsageError('--secret-file is missing, and ADMIN_SECRET_FILE is not set');
  return new AdminClient(url.data, (await readSecretFile(file)).toString());
}

function parseGrace({ grace = '0' }: OptionValues): number {
  const seconds = /^\d{1,9}$/.test(grace) ? Number(grace) : Number.NaN;
  if (!(seconds <= MAX_GRACE_SECONDS))
    throw new UsageError(`--grace takes a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}`);
  return seconds;
}

/** Trims white space, because editors and shells add a newline. */
async function readClientSecret(
  values: OptionValues,
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

function renderAccounts(accounts: readonly AccountView[]): string {
  if (accounts.length === 0)
    return 'There are no accounts. Create one with the verb create; --help shows how.';
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

const OUTCOMES: Readonly<Record<AccountResponse['outcome'], string>> = {
  created: 'is created.',
  replaced: 'is replaced.',
  kept: 'exists; nothing is changed.',
  rotated: 'has a new secret.',
};

/** What changed, and the generated secret. */
function describeAccount({ outcome, account, secret }: AccountResponse): string {
  const lines = [`${account.clientId} ${OUTCOMES[outcome]}`];
  if (account.previousSecretUntil !== undefined)
    lines.push(`The old secret is valid until ${account.previousSecretUntil}.`);
  if (account.disabled) lines.push('It is disabled: enable it before it requests tokens.');
  if (secret !== undefined) lines.push('Its secret, shown once:', secret);
  return lines.join('\n');
}
