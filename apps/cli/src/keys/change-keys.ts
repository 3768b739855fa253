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
import type { OutputForm, OutputOptions } from '../options.js';
import { findFolder } from './key-folder.js';
import { listKeys, renderChanges, renderKeys, type KeysOutput } from './keys-output.js';

export interface FolderOptions extends OutputOptions {
  readonly dir?: string;
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

export async function createKeys({ dir, output }: FolderOptions): Promise<void> {
  const folder = findFolder(dir, { mayBeMissing: true });
  const written = await folder.create(new Date());
  print({ ...(await listKeys(folder)), written }, output);
}

export async function showKeys({ dir, output }: FolderOptions): Promise<void> {
  const folder = findFolder(dir);
  const listed = await listKeys(folder);
  if (listed.keys.length === 0) throw withoutKeys(folder);
  print(listed, output);
  if (listed.wideModes.length > 0) process.exitCode = EXIT.findings;
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
  { dir, output }: FolderOptions,
  plan: (ring: KeyRing, generate: () => string) => RingChange,
): Promise<void> {
  const folder = findFolder(dir);
  const selected = new Set(named);
  for (const name of all) if (await folder.has(name)) selected.add(name);
  if (selected.size === 0) throw withoutKeys(folder);
  const changes = await folder.change([...selected], plan).catch((error: unknown) => {
    throw error instanceof KeyFolderError ? new CommandError(error.problems.join('\n')) : error;
  });
  const listed = await listKeys(folder);
  const dropped = Object.fromEntries([...changes].map(([name, change]) => [name, change.dropped]));
  print({ ...listed, dropped }, output);
}

const withoutKeys = ({ path }: KeyFolder): CommandError =>
  new CommandError(
    `${path} has no keys. Create them with "busbridge keys create --dir ${path}".`,
    EXIT.configuration,
  );

/** Modes that are too wide are sentences on the standard error. */
function print(listed: KeysOutput, form: OutputForm): void {
  if (form === 'json') standardOutput.writeJson(listed);
  else {
    standardOutput.writeLine(renderKeys(listed, standardOutput.width));
    const changes = renderChanges(listed);
    if (changes !== '') standardOutput.write(`\n${changes}\n`);
  }
  for (const { path, mode } of listed.wideModes)
    standardError.writeLine(`${path} has the mode ${mode}, so others can use it. Run "chmod go= ${path}".`);
}
