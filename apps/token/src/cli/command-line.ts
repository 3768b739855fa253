import { parseArgs } from 'node:util';

const SECRET_OPTIONS = ['client-secret-file', 'client-secret-stdin'] as const;

/** The options that each verb takes beside those for reaching the door. */
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
export type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

const EVERYWHERE: readonly string[] = ['url', 'secret-file', 'json'];

/** @throws UsageError for a verb or an option that there is not, or an option that the verb does not take */
export function parseCommandLine(args: readonly string[]): { verb: Verb; values: Values } {
  const { values, positionals } = parse(args);
  const [verb = '', ...more] = positionals;
  if (!isVerb(verb))
    throw new UsageError(`expected ${Object.keys(VERBS).join(', ')}${verb === '' ? '' : `, not ${verb}`}`);
  if (more.length > 0) throw new UsageError(`unexpected: ${more.join(' ')}`);
  const taken: readonly string[] = [...VERBS[verb], ...EVERYWHERE];
  const strange = Object.keys(values).find((name) => !taken.includes(name));
  if (strange !== undefined) throw new UsageError(`${verb} takes no --${strange}`);
  return { verb, values };
}

/** @throws UsageError */
export function required(values: Values, name: 'client-id'): string {
  const value = values[name];
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

function parse(args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isVerb(text: string): text is Verb {
  return Object.hasOwn(VERBS, text);
}

export const USAGE = `Manages the accounts of the token service, over the admin door of the running service.

usage: node apps/token/dist/src/accounts.js <verb> [options]

  create  --client-id <name> --scope '<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>' [--scope …] [--bound]
          [--if-missing | --replace] [--client-secret-file <path> | --client-secret-stdin]
  list
  rotate  --client-id <name> [--grace <seconds>] [--client-secret-file <path> | --client-secret-stdin]
  disable --client-id <name>
  enable  --client-id <name>

Permissions are letters of C (create), R (read), U (update), D (delete).
Without a client secret of yours, one is made and toAccountView this once.

  --bound                 bind the account's tokens to its client certificate (RFC 8705)
  --if-missing            change nothing when the account is there
  --replace               give an account that is there these scopes and a new secret;
                          one that is disabled stays disabled
  --grace <seconds>       how long the old secret stays good, at most 2678400 (31 days); 0 when omitted
  --client-secret-file    read the client's secret from a file
  --client-secret-stdin   read the client's secret from standard input
  --url <address>         the admin door; http://127.0.0.1:4006, or the port of ADMIN_PORT, when omitted
  --secret-file <path>    the secret that opens the admin door; that of ADMIN_SECRET_FILE when omitted
  --json                  answer in JSON
  --help                  show this

Exit status: 0 done, 1 refused or failed, 2 called in a wrong way.`;

/** The command was called in a way that it does not know. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
