import { KEY_NAMES, type KeyName } from '@ssb/keys/names';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../duration.js';
import type { ActivateOptions, FolderOptions, RetireOptions, RotateOptions } from '../keys/change-keys.js';
import type { ComposeOptions } from '../keys/compose-files.js';
import type { SecretsOptions } from '../keys/secrets.js';
import { addOutput } from '../options.js';

const loadChanges = () => import('../keys/change-keys.js');

const EXAMPLES = `
Keys: ${KEY_NAMES.join(', ')}.
Only "secrets" outputs secrets, and not to a terminal. Kubernetes updates mounted secrets within about two minutes, and the apps read them every KEYS_RELOAD_INTERVAL_MS,
so a new version is active after 15 minutes unless --active-in says otherwise. Subscribers must trust a new origin before it signs: "all" leaves
origin out in rotate and activate, and "rotate origin" needs --active-in.

Examples:
  busbridge keys create --dir keys                     # every missing file
  busbridge keys show --dir keys                       # versions and states; exit status 1 when others can read a file
  busbridge keys secrets --dir keys --name bridge --out secrets.yaml   # Kubernetes Secrets of the chart
  busbridge keys rotate integrity transaction-ids      # a new version of each, active in 15 minutes
  busbridge keys rotate origin --active-in 7d          # time for the subscribers to trust the new DID
  busbridge keys activate origin                       # they trust it: active in 15 minutes
  busbridge keys retire all                            # drops versions that were replaced more than seven days ago
  busbridge keys rotate integrity --leaked             # drops every former version at once
`;

const SECRETS_HELP = `
Creates missing files, like "keys create". Existing files stay unchanged. Sandbox certificates are renewed 30 days before they
expire. The same folder gives the same output. The values for the chart are printed on the standard error, or written to a file for Helm.

Examples:
  busbridge keys secrets --dir keys --name bridge --namespace energy --broker --out secrets.yaml
  busbridge keys secrets --dir keys --name bridge --broker --sandbox --bundled --values dids.yaml | kubectl apply -f -
`;

const COMPOSE_HELP = `
Creates missing files, like "keys create". The folder of each service is meant for its own volume: every user can read its files, because the
services run as several users. A new --output folder is readable by its owner only; an existing folder keeps its mode. Files that a service
no longer gets are removed from its folder.

Example:
  busbridge keys compose --dir keys --output secrets
`;

/** `busbridge keys`. */
export function keysCommand(): Command {
  const command = new Command('keys')
    .description('Creates, shows and rotates the secrets of the bridge.')
    .addHelpText('after', EXAMPLES);
  subcommand(command, 'create', 'creates every file that is missing, and changes none').action(
    async (options: FolderOptions) => (await loadChanges()).createKeys(options),
  );
  subcommand(
    command,
    'show',
    'versions, states and file modes; exit status 1 for a mode that is too wide',
  ).action(async (options: FolderOptions) => (await loadChanges()).showKeys(options));
  addSecrets(command);
  addCompose(command);
  changing(
    command,
    'rotate',
    'adds a version, and drops those that were replaced longer ago than the overlap',
  )
    .addOption(activeIn())
    .addOption(overlap())
    .addOption(
      new Option('--leaked', 'the new version is active at once and replaces all others').conflicts([
        'activeIn',
        'overlap',
      ]),
    )
    .action(async (names: Names[], options: RotateOptions, rotate: Command) => {
      const hasTime = rotate.getOptionValueSource('activeIn') !== 'default';
      await (await loadChanges()).rotateKeys(names, options, hasTime);
    });
  changing(command, 'activate', 'changes when a pending version becomes active')
    .addOption(activeIn())
    .action(async (names: Names[], options: ActivateOptions) =>
      (await loadChanges()).activateKeys(names, options),
    );
  changing(command, 'retire', 'drops versions that were replaced longer ago than the overlap')
    .addOption(overlap())
    .action(async (names: Names[], options: RetireOptions) =>
      (await loadChanges()).retireKeys(names, options),
    );
  return command;
}

type Names = KeyName | 'all';

function addSecrets(parent: Command): void {
  parent
    .command('secrets')
    .description('prints the Secrets that the Helm chart references, for kubectl apply')
    .requiredOption('--dir <folder>', 'the folder of the keys')
    .requiredOption('--name <name>', "full name of the release, the prefix of each Secret's name", parseName)
    .option('--namespace <namespace>', 'namespace of the release', parseName)
    .option('--broker', 'include the Secrets of the broker', false)
    .option('--sandbox', 'include the Secrets of the token service and the reporting API', false)
    .option('--bundled', 'include the Secrets of Redis, PostgreSQL and NATS of the chart', false)
    .option('--participant <code>', 'participant of the sandbox', 'WPGENCO')
    .option('--out <file>', 'write the Secrets to this file, with the mode 0600')
    .option('--values <file>', 'write the DIDs to this file, for `helm install --values`')
    .addHelpText('after', SECRETS_HELP)
    .action(async (options: SecretsOptions) => (await import('../keys/secrets.js')).outputSecrets(options));
}

/** RFC 1123 label, with room for the longest name of a Secret. */
function parseName(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError(
      'Up to 40 lower-case letters, digits and dashes; it begins and ends with a letter or digit.',
    );
  return text;
}

function addCompose(parent: Command): void {
  parent
    .command('compose')
    .description('writes the secrets of each service of docker-compose.yml into a folder of its own')
    .requiredOption('--dir <folder>', 'the folder of the keys; missing files are created')
    .requiredOption('--output <folder>', 'where to write the folders of the services')
    .option('--participant <code>', 'participant of the sandbox', 'WPGENCO')
    .addHelpText('after', COMPOSE_HELP)
    .action(async (options: ComposeOptions) =>
      (await import('../keys/compose-files.js')).writeComposeFiles(options),
    );
}

function subcommand(parent: Command, name: string, description: string): Command {
  return addOutput(parent.command(name))
    .description(description)
    .option(
      '--dir <folder>',
      'the folder of the keys (default: secrets in BUSBRIDGE_DATA, in the data of the running npm start, or in .data)',
    )
    .addHelpText('after', EXAMPLES);
}

function changing(parent: Command, name: string, description: string): Command {
  return subcommand(parent, name, description).addArgument(
    new Argument('<name...>', `keys: ${KEY_NAMES.join(', ')}; or all`).choices([...KEY_NAMES, 'all']),
  );
}

const activeIn = (): Option =>
  new Option('--active-in <duration>', 'time until the version is active: 30s, 15m, 2h, 7d')
    .argParser(parseDuration)
    .default(parseDuration('15m'), '15m');

const overlap = (): Option =>
  new Option('--overlap <duration>', 'how long a replaced version stays valid')
    .argParser(parseDuration)
    .default(parseDuration('7d'), '7d');
