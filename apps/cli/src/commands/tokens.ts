import { tryParseDuration } from '@ssb/config/duration';
import { ACCESS_ROLES } from '@ssb/keys/names';
import { Command, InvalidArgumentError, Option } from 'commander';
import { addOutput, collectNames, LISTING_FORMS, parseTimeWithZone, type OutputForm } from '../options.js';
import type { CreateOptions, FileOptions } from '../tokens/tokens.js';

const load = () => import('../tokens/tokens.js');

const HELP = `
The file keeps a hash of each token. The API reads it again by itself, every TLS_RELOAD_INTERVAL_MS (10 s). In Kubernetes, change the Secret that
it is mounted from.

Examples:
  busbridge tokens create --name grafana --role viewer --all-participants --expires 180d
  busbridge tokens create --name treasury --role operator --participant WPGENCO > token
  busbridge tokens list
  busbridge tokens list -o csv
  busbridge tokens revoke 3f2a9c01b7de
`;

/** `busbridge tokens`. */
export function tokensCommand(): Command {
  const command = new Command('tokens')
    .description('Creates, lists and revokes tokens of the archive API.')
    .addHelpText('after', HELP);
  subcommand(command, 'create', 'adds a token, and prints it once')
    .requiredOption('--name <name>', 'who uses it: the author of its requests')
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
    .action(async (options: CreateOptions) => (await load()).createToken(options));
  subcommand(command, 'list', 'every token, without its secret', LISTING_FORMS).action(
    async (options: FileOptions) => (await load()).listTokens(options),
  );
  subcommand(command, 'revoke', 'removes a token; its open streams end')
    .argument('<token>', 'id of the list, or a name that one token has')
    .action(async (token: string, options: FileOptions) => (await load()).revokeToken(token, options));
  return command;
}

function subcommand(
  parent: Command,
  name: string,
  description: string,
  forms?: readonly OutputForm[],
): Command {
  return addOutput(parent.command(name), forms)
    .description(description)
    .option('--file <path>', 'the access file (default: API_ACCESS_FILE, or that of npm start)')
    .addHelpText('after', HELP);
}

const MIN_LIFETIME_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_LIFETIME_DAYS = 731;

/** Parses how long a token is valid, such as `90d`, or until when. */
function parseExpiry(text: string): Date {
  const now = Date.now();
  const lifetimeMs = tryParseDuration(text);
  const expiresAt = lifetimeMs === undefined ? Date.parse(parseTimeWithZone(text)) : now + lifetimeMs;
  if (expiresAt < now + MIN_LIFETIME_MS || expiresAt > now + MAX_LIFETIME_DAYS * DAY_MS)
    throw new InvalidArgumentError(
      `A duration such as 90d, or a future time with its zone; at least 1m, at most ${MAX_LIFETIME_DAYS}d.`,
    );
  return new Date(expiresAt);
}
