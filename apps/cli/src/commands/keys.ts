import {
  activateRing,
  KEY_NAMES,
  replaceRing,
  retireRing,
  rotateRing,
  type KeyFolder,
  type KeyName,
  type KeyRing,
  type RingChange,
} from '@ssb/keys';
import { standardError, standardOutput } from '@ssb/platform';
import { Argument, Command, Option } from 'commander';
import { parseDuration } from '../duration.js';
import { fail } from '../fail.js';
import { onFolder } from '../keys/key-folder.js';
import { listKeys, renderChanges, renderKeys, type KeysOutput } from '../keys/keys-output.js';
import { keysComposeCommand } from './keys-compose.js';
import { keysSecretsCommand } from './keys-secrets.js';

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

interface FolderOptions {
  readonly dir?: string;
  readonly json: boolean;
}

/** `busbridge keys`. */
export function keysCommand(): Command {
  const command = new Command('keys')
    .description('Creates, shows and rotates the secrets of the bridge.')
    .addHelpText('after', EXAMPLES);
  subcommand(command, 'create', 'creates every file that is missing, and changes none').action(
    onFolder(async (folder, { json }: FolderOptions) => {
      const written = await folder.create(new Date());
      print({ ...(await listKeys(folder)), written }, json);
    }, true),
  );
  subcommand(
    command,
    'show',
    'versions, states and file modes; exit status 1 for a mode that is too wide',
  ).action(
    onFolder(async (folder, { json }: FolderOptions) => {
      const output = await listKeys(folder);
      if (output.keys.length === 0) return failWithoutKeys(folder);
      print(output, json);
      if (output.wideModes.length > 0) process.exitCode = 1;
    }),
  );
  command.addCommand(keysSecretsCommand());
  command.addCommand(keysComposeCommand());
  addRotate(command);
  changing(command, 'activate', 'changes when a pending version becomes active')
    .addOption(activeIn())
    .action((names: Names[], options: FolderOptions & { activeIn: number }) =>
      change(expand(names, WITHOUT_ORIGIN), options, (ring) =>
        activateRing(ring, new Date(), options.activeIn),
      ),
    );
  changing(command, 'retire', 'drops versions that were replaced longer ago than the overlap')
    .addOption(overlap())
    .action((names: Names[], options: FolderOptions & { overlap: number }) =>
      change(expand(names, KEY_NAMES), options, (ring) => retireRing(ring, new Date(), options.overlap)),
    );
  return command;
}

interface RotateOptions extends FolderOptions {
  readonly activeIn: number;
  readonly overlap: number;
  readonly leaked?: true;
}

function addRotate(command: Command): void {
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
    .action((names: Names[], options: RotateOptions, rotate: Command) => {
      const hasTime = options.leaked === true || rotate.getOptionValueSource('activeIn') !== 'default';
      if (names.includes('origin') && !hasTime)
        return fail(
          'Subscribers must trust the new DID of origin before it signs. Give the time until then with --active-in, such as --active-in 7d.',
        );
      return change(expand(names, WITHOUT_ORIGIN), options, (ring, generate) =>
        options.leaked === true
          ? replaceRing(ring, new Date(), generate())
          : rotateRing(ring, {
              now: new Date(),
              activeInMs: options.activeIn,
              overlapMs: options.overlap,
              secret: generate(),
            }),
      );
    });
}

type Names = KeyName | 'all';

/** Keys whose new version can be active without the consent of the subscribers. */
const WITHOUT_ORIGIN = KEY_NAMES.filter((name) => name !== 'origin');

interface Selection {
  readonly named: readonly KeyName[];
  /** What `all` stands for; of these, only keys that exist. */
  readonly all: readonly KeyName[];
}

function expand(names: readonly Names[], all: readonly KeyName[]): Selection {
  return {
    named: KEY_NAMES.filter((name) => names.includes(name)),
    all: names.includes('all') ? all : [],
  };
}

function subcommand(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--dir <folder>', 'the folder of the keys (default: .data/secrets of npm start, when it exists)')
    .option('--json', 'print JSON', false);
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

/** Changes the selected keys, of which a refused one refuses all, then prints what changed. */
function change(
  { named, all }: Selection,
  options: FolderOptions,
  plan: (ring: KeyRing, generate: () => string) => RingChange,
): Promise<void> {
  return onFolder(async (folder, { json }: FolderOptions) => {
    const selected = new Set(named);
    for (const name of all) if (await folder.has(name)) selected.add(name);
    if (selected.size === 0) return failWithoutKeys(folder);
    const changes = await folder.change([...selected], plan);
    const output = await listKeys(folder);
    const dropped = Object.fromEntries([...changes].map(([name, change]) => [name, change.dropped]));
    print({ ...output, dropped }, json);
  })(options);
}

function failWithoutKeys({ path }: KeyFolder): void {
  fail(`${path} has no keys. Create them with "busbridge keys create --dir ${path}".`);
}

/** Modes that are too wide are sentences on the standard error. */
function print(output: KeysOutput, json: boolean): void {
  if (json) standardOutput.writeJson(output);
  else
    standardOutput.write(
      `${[renderKeys(output), renderChanges(output)].filter((part) => part !== '').join('\n\n')}\n`,
    );
  for (const { path, mode } of output.wideModes)
    standardError.writeLine(`${path} has the mode ${mode}, so others can use it. Run "chmod go= ${path}".`);
}
