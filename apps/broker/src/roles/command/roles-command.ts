import { readFile } from 'node:fs/promises';
import { ROLE_STATES, type RoleDecision, type RoleState } from '@ssb/bus';
import {
  InvalidDidError,
  isDidMethod,
  parseDid,
  type Did,
  parsePrivateKey,
  type PrivateKey,
} from '@ssb/identity';
import { Command, InvalidArgumentError, Option } from 'commander';
import { httpUrl, readSecretFile, readEncryptedFile, renderTable } from '@ssb/platform';
import { isRoleName } from '../../channels/names.js';
import type { ListedClaim } from '../role-state.js';
import { definition } from '../../settings.js';
import { IssuerClient, type DecidedRole } from './issuer-client.js';

interface Options {
  readonly url: string;
  readonly keyFile: string;
  readonly secretFile?: string;
  readonly audience: string;
  readonly didMethod: string;
  readonly json: boolean;
}

const EXAMPLES = `
Examples:
  $ export ISSUER_KEY_FILE=.data/issuer/issuer.key ISSUER_SECRET_FILE=.data/secrets/encryption.secret
  $ node apps/broker/dist/src/roles/command/main.js list --state AWAITING_APPROVAL
  $ node apps/broker/dist/src/roles/command/main.js approve did:ethr:0x0000000000000000000000000000000000000001
  $ node apps/broker/dist/src/roles/command/main.js revoke did:ethr:0x0000000000000000000000000000000000000001 --role <name>

Exit status: 0 done, 1 refused or failed, 2 wrong usage.`;

/**
 * The roles command of an issuer. The key signs here and is not sent to the broker.
 * Parsing throws CommanderError for wrong usage, IssuerKeyError, IssuerClientError.
 * @param print prints the result; called once
 */
export function rolesCommand(print: (text: string) => void): Command {
  const program = new Command('roles')
    .description("Lists, approves, rejects and revokes roles at the broker with the issuer's key.")
    .addOption(
      new Option('--url <address>', "the broker's address")
        .env('BROKER_URL')
        .default(`http://127.0.0.1:${definition.PORT.default}`)
        .argParser(parseUrl),
    )
    .addOption(
      new Option('--key-file <path>', "the issuer's private key")
        .env('ISSUER_KEY_FILE')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--secret-file <path>',
        'the secret that encrypts the key file; without it the file holds 64 hexadecimal digits',
      ).env('ISSUER_SECRET_FILE'),
    )
    .addOption(
      new Option('--audience <text>', 'BROKER_AUDIENCE of the broker')
        .env('BROKER_AUDIENCE')
        .default(definition.BROKER_AUDIENCE.default),
    )
    .addOption(
      new Option('--did-method <name>', "method of the bus's DIDs")
        .env('DID_METHOD')
        .default(definition.DID_METHOD.default)
        .argParser(parseDidMethod),
    )
    .option('--json', 'print JSON instead of text', false)
    .addHelpText('after', EXAMPLES);

  const options = () => program.opts<Options>();
  const show = <T>(value: T, describe: (value: T) => string): void =>
    print(options().json ? JSON.stringify(value, undefined, 2) : describe(value));

  program
    .command('list')
    .description('list the claims of all identities')
    .addOption(new Option('--state <state>', 'only claims in this state').choices(ROLE_STATES))
    .action(async ({ state }: { state?: RoleState }) => {
      show(await (await createClient(options())).listClaims(state), formatTable);
    });

  for (const [decision, description] of DECISIONS) {
    program
      .command(decision)
      .description(description)
      .argument('<did...>', 'the identities', addDid)
      .addOption(
        new Option('--role <name>', 'the role')
          .env('USER_ROLE')
          .default(definition.USER_ROLE.default)
          .argParser(parseRoleName),
      )
      .action(async (dids: Did[], { role }: { role: string }) => {
        const client = await createClient(options());
        const outcomes: DecidedRole[] = [];
        for (const did of dids) outcomes.push(await client.decide(decision, did, role));
        show(outcomes, (all) => all.map(formatOutcome).join('\n'));
      });
  }
  return program;
}

const DECISIONS: readonly (readonly [RoleDecision['decision'], string])[] = [
  ['approve', 'approve a role, claimed or not'],
  ['reject', 'reject an undecided claim; a held role stays'],
  ['revoke', 'revoke a role, which ends every stream that needs it'],
];

async function createClient(options: Options): Promise<IssuerClient> {
  const { url, keyFile, secretFile, audience, didMethod: method } = options;
  return new IssuerClient({ url, key: await readIssuerKey(keyFile, secretFile), audience, form: { method } });
}

function formatOutcome({ did, role, state }: DecidedRole): string {
  return `${did}: ${role} is ${state}.`;
}

function parseUrl(text: string): string {
  const url = httpUrl().safeParse(text.trimEnd());
  if (url.success) return url.data;
  throw new InvalidArgumentError(`It is ${httpUrl().description}.`);
}

function parseDidMethod(text: string): string {
  if (isDidMethod(text)) return text;
  throw new InvalidArgumentError('It has lower-case letters and digits, 32 at most.');
}

function parseRoleName(text: string): string {
  if (isRoleName(text)) return text;
  throw new InvalidArgumentError('It has the form {role}.roles.{app}.apps.{organisation}.iam.{root}.');
}

function addDid(text: string, before: readonly Did[] | undefined): Did[] {
  try {
    return [...(before ?? []), parseDid(text)];
  } catch (error) {
    if (error instanceof InvalidDidError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** The issuer's key cannot be read. The message names the file and never shows its content. */
class IssuerKeyError extends Error {
  override readonly name = 'IssuerKeyError';
}

/**
 * Reads the key from a file that the secret encrypts, or, without a secret, from a file of 64 hexadecimal digits.
 * @throws IssuerKeyError
 */
async function readIssuerKey(keyFile: string, secretFile: string | undefined): Promise<PrivateKey> {
  try {
    if (secretFile === undefined) return parsePrivateKey((await readFile(keyFile, 'utf8')).trim());
    const secret = await readSecretFile(secretFile);
    return parsePrivateKey((await readEncryptedFile(keyFile, secret)).toString('utf8').trim());
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = secretFile === undefined ? '; an encrypted one needs --secret-file' : '';
    throw new IssuerKeyError(`no key from ${keyFile}: ${reason}${hint}`, { cause });
  }
}

/** Claims as a table: by role, then the latest change first. */
function formatTable(claims: readonly ListedClaim[]): string {
  if (claims.length === 0) return 'There are no such claims.';
  const rows = claims
    .toSorted((a, b) => compare(a.role, b.role) || compare(b.since, a.since))
    .map(({ did, role, state, since, decidedBy, inDocument }) => [
      did,
      role,
      state,
      since.replace(/\.\d+Z$/, 'Z'),
      decidedBy ?? '-',
      inDocument ? 'yes' : 'no',
    ]);
  return renderTable(['did', 'role', 'state', 'since', 'decided by', 'in document'], rows);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
