import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ConfigurationError,
  findOpenPath,
  FolderInUseError,
  generateSecret,
  PRIVATE_FOLDER_MODE,
  withFolderLock,
  type OpenPath,
} from '@ssb/platform';
import { fileExists, writeKeyFile } from '../create-keys.js';
import type { KeyRing, KeyVersion } from '../domain/key-ring.js';
import { stateOf, type KeyState, type RingChange } from '../domain/rotation.js';
import { KEY_NAMES, type KeyName } from '../names.js';
import { ENCRYPTION_SECRET_FILE, KEY_FILES, type PublicPart } from './key-files.js';

/** A change of the keys is refused, or the folder cannot be used. Each sentence says what to do. */
export class KeyFolderError extends ConfigurationError {
  override readonly name = 'KeyFolderError';
}

/** One version of a key, without its secret. */
export interface VersionReport extends PublicPart {
  readonly version: number;
  readonly state: KeyState;
  readonly activeFrom: Date;
}

export interface KeyReport {
  readonly name: KeyName;
  /** Empty when the file does not exist. */
  readonly versions: readonly VersionReport[];
}

const LOCK_TIMEOUT_MS = 10_000;

/** The secrets of a bridge, each in a file of one folder. Changes exclude each other, also those of several processes. */
export class KeyFolder {
  constructor(readonly path: string) {}

  /**
   * Creates every file that is missing. Existing ones stay, except that a users file gets the hash of a new password.
   * @param createOthers creates further files of the folder; returns their names
   * @returns the names of these files
   * @throws KeyFolderError when the origin key exists without the secret that encrypts it
   */
  async create(
    now: Date,
    createOthers: () => Promise<readonly string[]> = () => Promise.resolve([]),
  ): Promise<string[]> {
    if (!(await fileExists(this.path))) {
      await mkdir(this.path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
      await chmod(this.path, PRIVATE_FOLDER_MODE);
    }
    return this.withLock(async () => {
      const created: string[] = [];
      const encryptionSecret = join(this.path, ENCRYPTION_SECRET_FILE);
      if (!(await fileExists(encryptionSecret))) {
        if (await this.has('origin'))
          throw new KeyFolderError(
            `${this.pathOf('origin')} exists, but ${encryptionSecret}, which decrypts it, does not. Copy it there, or move the key away to create another one.`,
          );
        await writeKeyFile(encryptionSecret, generateSecret());
        created.push(ENCRYPTION_SECRET_FILE);
      }
      for (const name of KEY_NAMES) created.push(...(await KEY_FILES[name].create(this.path, now)));
      created.push(...(await createOthers()));
      return [...new Set(created)];
    });
  }

  /** What the files hold, without the secrets. @throws ConfigurationError for a file that cannot be used */
  async report(now: Date): Promise<KeyReport[]> {
    const reports: KeyReport[] = [];
    for (const name of KEY_NAMES) {
      const ring = (await this.has(name)) ? await KEY_FILES[name].read(this.path) : undefined;
      const versions = ring?.keys.map((key) => describeVersion(name, ring, key, now)) ?? [];
      reports.push({ name, versions });
    }
    return reports;
  }

  /** The key itself, for the processes of a development system. */
  read(name: KeyName): Promise<KeyRing> {
    return KEY_FILES[name].read(this.path);
  }

  async has(name: KeyName): Promise<boolean> {
    return fileExists(this.pathOf(name));
  }

  /** Path of a key ring file. */
  pathOf(name: KeyName): string {
    return join(this.path, KEY_FILES[name].files[0]?.file ?? '');
  }

  /**
   * Changes these keys. A refused key refuses all.
   * @throws KeyFolderError with a sentence for each key that is missing or cannot be changed now
   */
  async change(
    names: readonly KeyName[],
    plan: (ring: KeyRing, generate: () => string) => RingChange,
  ): Promise<ReadonlyMap<KeyName, { readonly ring: KeyRing; readonly dropped: readonly number[] }>> {
    return this.withLock(async () => {
      const problems: string[] = [];
      const changes = new Map<KeyName, { ring: KeyRing; before: KeyRing; dropped: readonly number[] }>();
      for (const name of names) {
        if (!(await this.has(name))) {
          problems.push(`${name}: ${this.pathOf(name)} does not exist; run "busbridge keys create".`);
          continue;
        }
        const before = await KEY_FILES[name].read(this.path);
        const result = plan(before, () => KEY_FILES[name].generate());
        if (result.ok) changes.set(name, { ...result, before });
        else problems.push(`${name}: ${result.problem}.`);
      }
      if (problems.length > 0) throw new KeyFolderError(problems);
      for (const [name, { before, ring }] of changes) await KEY_FILES[name].replace(this.path, before, ring);
      return changes;
    });
  }

  /** Files and folders that others can read or change, with their modes. @param others further files of the folder */
  findOpenPaths(others: readonly string[] = []): OpenPath[] {
    const files = [
      ...others,
      ENCRYPTION_SECRET_FILE,
      ...KEY_NAMES.flatMap((name) => KEY_FILES[name].files.map(({ file }) => file)),
    ];
    return [this.path, ...files.map((file) => join(this.path, file))].flatMap(
      (path) => findOpenPath(path) ?? [],
    );
  }

  /** Two changes at once could lose one of them. */
  private async withLock<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await withFolderLock(join(this.path, 'keys'), LOCK_TIMEOUT_MS, work);
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      throw new KeyFolderError(
        `Another process changes the keys in ${this.path}. Wait until it has ended, then run the command again.`,
      );
    }
  }
}

function describeVersion(name: KeyName, ring: KeyRing, key: KeyVersion, now: Date): VersionReport {
  const { version, activeFrom } = key;
  return { version, state: stateOf(ring, key, now), activeFrom, ...KEY_FILES[name].describe(key) };
}
