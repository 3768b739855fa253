import {
  activateRing,
  KEY_NAMES,
  replaceRing,
  retireRing,
  rotateRing,
  KeyFolderError,
  type KeyFolder,
  type KeyName,
  type KeyRing,
  type RingChange,
} from '@ssb/keys';
import { standardError, standardOutput } from '@ssb/platform/cli';
import { CommandError, EXIT } from '../exit.js';
import { findFolder } from './key-folder.js';
import { listKeys, renderChanges, renderKeys, type KeysOutput } from './keys-output.js';

export interface FolderOptions {
  readonly dir?: string;
  readonly json: boolean;
}

/** Durations in milliseconds. */
export interface ActivateOptions extends FolderOptions {
  readonly activeIn: number;
}

export interface RetireOptions extends FolderOptions {
  readonly overlap: number;
}

export interface RotateOptions extends ActivateOptions, RetireOptions {
  readonly leaked?: true;
}

type Names = KeyName | 'all';

export async function createKeys({ dir, json }: FolderOptions): Promise<void> {
  const folder = findFolder(dir, { mayBeMissing: true });
  const written = await folder.create(new Date());
  print({ ...(await listKeys(folder)), written }, json);
}

export async function showKeys({ dir, json }: FolderOptions): Promise<void> {
  const folder = findFolder(dir);
  const output = await listKeys(folder);
  if (output.keys.length === 0) throw withoutKeys(folder);
  print(output, json);
  if (output.wideModes.length > 0) process.exitCode = EXIT.findings;
}

/** @param hasTime whether the time until the new version is active was given */
export function rotateKeys(names: readonly Names[], options: RotateOptions, hasTime: boolean): Promise<void> {
  if (names.includes('origin') && options.leaked !== true && !hasTime)
    throw new CommandError(
      'Subscribers must trust the new DID of origin before it signs. Give the time until then with --active-in, such as --active-in 7d.',
      EXIT.usage,
    );
  return change(select(names, WITHOUT_ORIGIN), options, (ring, generate) =>
    options.leaked === true
      ? replaceRing(ring, new Date(), generate())
      : rotateRing(ring, {
          now: new Date(),
          activeInMs: options.activeIn,
          overlapMs: options.overlap,
          secret: generate(),
        }),
  );
}

export const activateKeys = (names: readonly Names[], options: ActivateOptions): Promise<void> =>
  change(select(names, WITHOUT_ORIGIN), options, (ring) => activateRing(ring, new Date(), options.activeIn));

export const retireKeys = (names: readonly Names[], options: RetireOptions): Promise<void> =>
  change(select(names, KEY_NAMES), options, (ring) => retireRing(ring, new Date(), options.overlap));

/** Keys whose new version can be active without the consent of the subscribers. */
const WITHOUT_ORIGIN = KEY_NAMES.filter((name) => name !== 'origin');

interface Selection {
  readonly named: readonly KeyName[];
  /** What `all` stands for; of these, only keys that exist. */
  readonly all: readonly KeyName[];
}

function select(names: readonly Names[], all: readonly KeyName[]): Selection {
  return {
    named: KEY_NAMES.filter((name) => names.includes(name)),
    all: names.includes('all') ? all : [],
  };
}

/** Changes the selected keys, of which a refused one refuses all, then prints what changed. */
async function change(
  { named, all }: Selection,
  { dir, json }: FolderOptions,
  plan: (ring: KeyRing, generate: () => string) => RingChange,
): Promise<void> {
  const folder = findFolder(dir);
  const selected = new Set(named);
  for (const name of all) if (await folder.has(name)) selected.add(name);
  if (selected.size === 0) throw withoutKeys(folder);
  const changes = await folder.change([...selected], plan).catch((error: unknown) => {
    throw error instanceof KeyFolderError ? new CommandError(error.problems.join('\n')) : error;
  });
  const output = await listKeys(folder);
  const dropped = Object.fromEntries([...changes].map(([name, change]) => [name, change.dropped]));
  print({ ...output, dropped }, json);
}

const withoutKeys = ({ path }: KeyFolder): CommandError =>
  new CommandError(
    `${path} has no keys. Create them with "busbridge keys create --dir ${path}".`,
    EXIT.configuration,
  );

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
