import {
  ACCESS_ROLES,
  addToken,
  createAccessToken,
  isAccessName,
  isExpired,
  removeToken,
  type AccessRole,
  type AccessToken,
} from '@ssb/keys';
import { standardError, standardOutput } from '@ssb/platform';
import { Command, InvalidArgumentError, Option } from 'commander';
import { explainFailures, fail } from '../fail.js';
import { print } from '../print.js';
import { collectNames } from '../options.js';
import { table } from '../requests/render.js';
import { parseExpiry } from '../tokens/expiry.js';
import { TokenFile } from '../tokens/token-file.js';

const HELP = `
The file keeps a hash of each token. The API reads it again by itself, every TLS_RELOAD_INTERVAL_MS (10 s). In Kubernetes, change the Secret that
it is mounted from.

Examples:
  busbridge tokens create --name grafana --role viewer --all-participants --expires 180d
  busbridge tokens create --name treasury --role operator --participant WPGENCO > token
  busbridge tokens list
  busbridge tokens revoke 3f2a9c01b7de
`;

interface FileOptions {
  readonly file?: string;
  readonly json: boolean;
}

/** `busbridge tokens`. */
export function tokensCommand(): Command {
  const command = new Command('tokens')
    .description('Creates, lists and revokes tokens of the archive API.')
    .addHelpText('after', HELP);
  subcommand(command, 'create', 'adds a token, and prints it once')
    .requiredOption('--name <name>', 'who uses it: the author of its requests', parseTokenName)
    .addOption(
      new Option('--role <role>', 'an operator may also act').choices(ACCESS_ROLES).makeOptionMandatory(),
    )
    .option('--participant <code>', 'a participant that it may see; may be repeated', collectNames)
    .option('--all-participants', 'it may see everything')
    .addOption(
      new Option('--expires <time>', 'until when: 90d, or a time such as 2027-01-31T00:00:00+08:00')
        .argParser(parseExpiry)
        .default(parseExpiry('90d'), '90d'),
    )
    .action((options: CreateOptions) => explainFailures(() => create(options)));
  subcommand(command, 'list', 'every token, without its secret').action((options: FileOptions) =>
    explainFailures(() => list(options)),
  );
  subcommand(command, 'revoke', 'removes a token; its open streams end')
    .argument('<token>', 'id of the list, or a name that one token has')
    .action((token: string, options: FileOptions) => explainFailures(() => revoke(token, options)));
  return command;
}

function subcommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--file <path>', 'the access file (default: API_ACCESS_FILE, or that of npm start)')
    .option('--json', 'print JSON', false);
}

interface CreateOptions extends FileOptions {
  readonly name: string;
  readonly role: AccessRole;
  readonly participant?: string[];
  readonly allParticipants?: true;
  readonly expires: Date;
}

async function create({
  name,
  role,
  participant,
  allParticipants,
  expires,
  ...options
}: CreateOptions): Promise<void> {
  if ((participant === undefined) === (allParticipants === undefined))
    return fail('Say what the token may see, with either --participant or --all-participants.');
  const file = TokenFile.find(options.file);
  const text = file.exists ? (await file.read()).text : undefined;
  const participants = participant === undefined ? 'all' : [...new Set(participant)];
  const token = createAccessToken({ name, role, participants, expiresAt: expires }, new Date());
  await file.write(addToken(text, token.entry));
  if (options.json) return standardOutput.writeJson({ ...show(token.entry), token: token.text });
  standardOutput.writeLine(token.text);
  standardError.writeLine(
    `The token ${token.entry.id} of ${name} is valid until ${token.entry.expiresAt}. It is not shown again: ${file.path} has only its hash.`,
  );
}

async function list({ file: path, json }: FileOptions): Promise<void> {
  const file = TokenFile.find(path);
  const { tokens } = await file.read();
  print({ tokens: tokens.map(show) }, json, (listed) =>
    listed.tokens.length === 0 ? `${file.path} has no tokens.` : renderTokens(listed.tokens),
  );
  file.warnIfOpen();
}

async function revoke(given: string, { file: path, json }: FileOptions): Promise<void> {
  const file = TokenFile.find(path);
  const { text, tokens } = await file.read();
  const named = tokens.filter(({ id, name }) => id === given || name === given);
  const token = named.find(({ id }) => id === given) ?? named[0];
  if (token === undefined)
    return fail(`${file.path} has no token ${given}. "busbridge tokens list" shows ids and names.`);
  if (token.id !== given && named.length > 1)
    return fail(
      `${named.length} tokens have the name ${given}: give the id of one, ${named.map(({ id }) => id).join(' or ')}.`,
    );
  await file.write(removeToken(text, token.id));
  print(show(token), json, ({ id, name }) => `The token ${id} of ${name} is revoked.`);
}

type ListedToken = Omit<AccessToken, 'hash'> & { readonly expired: boolean };

const show = ({ id, name, role, participants, createdAt, expiresAt }: AccessToken): ListedToken => {
  const expired = isExpired({ expiresAt }, Date.now());
  return { id, name, role, participants, createdAt, expiresAt, expired };
};

const renderTokens = (tokens: readonly ListedToken[]): string =>
  table(
    ['id', 'name', 'role', 'participants', 'created', 'expires', 'state'],
    tokens.map((each) => [
      each.id,
      each.name,
      each.role,
      each.participants === 'all' ? 'all' : each.participants.join(', '),
      each.createdAt,
      each.expiresAt,
      each.expired ? 'expired' : 'valid',
    ]),
  );

function parseTokenName(text: string): string {
  if (!isAccessName(text))
    throw new InvalidArgumentError('A text of 1 to 200 characters, without control characters.');
  return text;
}
