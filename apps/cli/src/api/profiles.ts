import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseProfiles, type Profile } from '@ssb/keys';
import { CommandError, EXIT } from '../exit.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** `BUSBRIDGE_PROFILES_FILE`, by default in the folder of the XDG Base Directory Specification. */
export function profilesPath(environment: Variables): string {
  const folder = environment['XDG_CONFIG_HOME'] || join(homedir(), '.config');
  return environment['BUSBRIDGE_PROFILES_FILE'] || join(folder, 'busbridge', 'profiles.yaml');
}

/**
 * @param name default: that of the file
 * @returns undefined without a name, when there is no file or it has no default
 * @throws CommandError when the file is open to others, or does not have the profile; AccessFileError when it is wrong
 */
export function readProfile(path: string, name: string | undefined): Profile | undefined {
  if (!existsSync(path)) {
    if (name === undefined) return undefined;
    throw wrong(`There is no profile ${name}: ${path} does not exist.`);
  }
  const { default: standard, profiles } = readFile(path);
  const chosen = name ?? standard;
  if (chosen === undefined) return undefined;
  const found = Object.hasOwn(profiles, chosen) ? profiles[chosen] : undefined;
  if (found === undefined)
    throw wrong(`${path} has no profile ${chosen}. It has ${Object.keys(profiles).join(', ') || 'none'}.`);
  return withAbsolutePaths(found, dirname(path));
}

/** The names of the profiles. Empty without a file that can be used. */
export function listProfiles(path: string): readonly string[] {
  try {
    return Object.keys(readFile(path).profiles);
  } catch {
    return [];
  }
}

function readFile(path: string): ReturnType<typeof parseProfiles> {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw wrong(
      `${path} can hold a token, but other users of this machine may open it: run chmod 600 ${path}.`,
    );
  return parseProfiles(path, readFileSync(path));
}

function withAbsolutePaths(found: Profile, folder: string): Profile {
  const files = (['tokenFile', 'caFile', 'certificateFile', 'keyFile'] as const).flatMap((name) => {
    const path = found[name];
    return path === undefined ? [] : [[name, resolve(folder, path)] as const];
  });
  return { ...found, ...Object.fromEntries(files) };
}

const wrong = (message: string): CommandError => new CommandError(message, EXIT.configuration);
