import { parseArgs } from 'node:util';

const SECRET_OPTIONS = ['client-secret-file', 'client-secret-stdin'] as const;

/** The options of each verb, in addition to COMMON_OPTIONS. */
const VERBS = {
  create: ['client-id', 'scope', 'bound', 'if-missing', 'replace', ...SECRET_OPTIONS],
  list: [],
  rotate: ['client-id', 'grace', ...SECRET_OPTIONS],
  disable: ['client-id'],
  enable: ['client-id'],
} as const;
export type Verb = keyof typeof VERBS;

const OPTIONS = {
  'client-id': { type: 'string' },
  scope: { type: 'string', multiple: true },
  bound: { type: 'boolean' },
  'if-missing': { type: 'boolean' },
  replace: { type: 'boolean' },
  grace: { type: 'string' },
  'client-secret-file': { type: 'string' },
  'client-secret-stdin': { type: 'boolean' },
  url: { type: 'string' },
  'secret-file': { type: 'string' },
  json: { type: 'boolean' },
} as const;
export type OptionValues = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

const COMMON_OPTIONS: readonly string[] = ['url', 'secret-file', 'json'];

/** The command line is wrong. The message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError for an unknown verb or option, or an option of another verb */
export function parseCommandLine(args: readonly string[]): { verb: Verb; values: OptionValues } {
  const { values, positionals } = parseOptions(args);
  const [verb = '', ...more] = positionals;
  if (!isVerb(verb))
    throw new UsageError(`expected ${Object.keys(VERBS).join(', ')}${verb === '' ? '' : `, not ${verb}`}`);
  if (more.length > 0) throw new UsageError(`unexpected: ${more.join(' ')}`);
  const allowed: readonly string[] = [...VERBS[verb], ...COMMON_OPTIONS];
  const unknown = Object.keys(values).find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw new UsageError(`${verb} takes no --${unknown}`);
  return { verb, values };
}

/** @throws UsageError */
export function requireOption(values: OptionValues, name: 'client-id'): string {
  const value = values[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

function parseOptions(args: readonly string[]): { values: OptionValues; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isVerb(text: string): text is Verb {
  return Object.hasOwn(VERBS, text);
}

export const USAGE = `Manages the accounts of the token service, through the admin API of the running service.

usage: node apps/token/dist/src/accounts.js <verb> [options]

  create  --client-id <name> --scope '<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>' [--scope …] [--bound]
          [--if-missing | --replace] [--client-secret-file <path> | --client-secret-stdin]
  list
  rotate  --client-id <name> [--grace <seconds>] [--client-secret-file <path> | --client-secret-stdin]
  disable --client-id <name>
  enable  --client-id <name>

Permissions are letters of C (create), R (read), U (update), D (delete).
Without a client secret option, a secret is generated and shown once.

  --bound                 bind the account's tokens to its client certificate (RFC 8705)
  --if-missing            keep an existing account as it is
  --replace               give an existing account these scopes and a new secret;
                          a disabled account stays disabled
  --grace <seconds>       how long the old secret stays valid, at most 2678400 (31 days); default 0
  --client-secret-file    read the client's secret from a file
  --client-secret-stdin   read the client's secret from standard input
  --url <address>         the admin API; default http://127.0.0.1:4006, or the port of ADMIN_PORT
  --secret-file <path>    the secret of the admin API; default ADMIN_SECRET_FILE
  --json                  print JSON
  --help                  show this

Exit status: 0 success, 1 refused or failed, 2 usage error.`;
