import { randomUUID } from 'node:crypto';
import { ROLE_STATES, type RoleDecision, type RoleState } from '@ssb/bus';
import { InvalidDidError, isDidMethod, parseDid, type Did } from '@ssb/identity';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isRoleName } from '../domain/names.js';
import { definition } from '../settings.js';
import { BrokerDoor, type Decided, type Issuer } from './broker-door.js';
import { signDecision } from './decide.js';
import { readIssuerKey } from './issuer-key.js';
import { rolesTable } from './roles-table.js';

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
  $ export ISSUER_KEY_FILE=.data/issuer/issuer.key ISSUER_SECRET_FILE=.data/secrets/sealing.secret
  $ node apps/broker/dist/command/main.js list --state AWAITING_APPROVAL
  $ node apps/broker/dist/command/main.js approve did:ethr:0x0000000000000000000000000000000000000001
  $ node apps/broker/dist/command/main.js revoke did:ethr:0x0000000000000000000000000000000000000001 --role <name>

Exit status: 0 done, 1 refused or failed, 2 called in a wrong way.`;

/**
 * The roles command: what an issuer decides at a running broker. The key signs here and never travels.
 * @param print takes what is to be shown, once
 * Parsing throws CommanderError for a wrong call, IssuerKeyError, BrokerDoorError.
 */
export function rolesCommand(print: (text: string) => void): Command {
  const program = new Command('roles')
    .description('Lists, approves, rejects and revokes roles at the broker, by the word of an issuer.')
    .addOption(
      new Option('--url <address>', "the broker's address")
        .env('BROKER_URL')
        .default(`http://127.0.0.1:${definition.PORT.default}`)
        .argParser(address),
    )
    .addOption(
      new Option('--key-file <path>', "the issuer's private key")
        .env('ISSUER_KEY_FILE')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--secret-file <path>',
        'the secret that seals the key file; without it the key is 64 hexadecimal digits',
      ).env('ISSUER_SECRET_FILE'),
    )
    .addOption(
      new Option('--audience <text>', 'what the broker calls itself')
        .env('BROKER_AUDIENCE')
        .default(definition.BROKER_AUDIENCE.default),
    )
    .addOption(
      new Option('--did-method <name>', "method of the bus's DIDs")
        .env('DID_METHOD')
        .default(definition.DID_METHOD.default)
        .argParser(didMethod),
    )
    .option('--json', 'print JSON instead of text', false)
    .addHelpText('after', EXAMPLES);

  const options = () => program.opts<Options>();
  const show = <T>(value: T, describe: (value: T) => string): void =>
    print(options().json ? JSON.stringify(value, undefined, 2) : describe(value));

  program
    .command('list')
    .description('the claims of every identity')
    .addOption(new Option('--state <state>', 'only those in this state').choices(ROLE_STATES))
    .action(async ({ state }: { state?: RoleState }) => {
      const door = new BrokerDoor(options().url);
      show(await door.claims(await issuerOf(options()), state), rolesTable);
    });

  for (const [decision, description] of DECISIONS) {
    program
      .command(decision)
      .description(description)
      .argument('<did...>', 'whose', someDids)
      .addOption(
        new Option('--role <name>', 'which role')
          .env('USER_ROLE')
          .default(definition.USER_ROLE.default)
          .argParser(roleName),
      )
      .action(async (dids: Did[], { role }: { role: string }) => {
        const issuer = await issuerOf(options());
        const door = new BrokerDoor(options().url);
        const outcomes: Decided[] = [];
        for (const did of dids) {
          const request = { decision, did, role };
          outcomes.push(await door.decide(signDecision(issuer, request, new Date(), randomUUID())));
        }
        show(outcomes, (all) => all.map(sentence).join('\n'));
      });
  }
  return program;
}

const DECISIONS: readonly (readonly [RoleDecision['decision'], string])[] = [
  ['approve', 'give a role, claimed or not'],
  ['reject', 'refuse a claim that waits; a role that is held stays'],
  ['revoke', 'take a role away, and with it every open stream that needs it'],
];

async function issuerOf({ keyFile, secretFile, audience, didMethod: method }: Options): Promise<Issuer> {
  return { key: await readIssuerKey(keyFile, secretFile), audience, form: { method } };
}

function sentence({ did, role, state }: Decided): string {
  return `${did}: ${role} is ${state}.`;
}

function address(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('It is an address that starts with http:// or https://.');
}

function didMethod(text: string): string {
  if (isDidMethod(text)) return text;
  throw new InvalidArgumentError('It has small letters and digits, 32 at most.');
}

function roleName(text: string): string {
  if (isRoleName(text)) return text;
  throw new InvalidArgumentError('It has the form {role}.roles.{app}.apps.{organisation}.iam.{root}.');
}

function someDids(text: string, before: readonly Did[] | undefined): Did[] {
  try {
    return [...(before ?? []), parseDid(text)];
  } catch (error) {
    if (error instanceof InvalidDidError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
