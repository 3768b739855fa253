import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseAccessFile, type AccessToken } from '@ssb/keys';
import {
  ConfigurationError,
  findOpenPath,
  FolderInUseError,
  PRIVATE_FILE_MODE,
  readConfiguredFile,
  readSettings,
  withFolderLock,
  writeFileAtomically,
} from '@ssb/platform';
import { standardError } from '@ssb/platform/cli';
import { CommandError, EXIT } from '../exit.js';
import { commandEnvironment, tokensSettings } from '../settings.js';

const LOCK_TIMEOUT_MS = 10_000;

/** The access file of the archive API, as the commands read and write it. */
export class TokenFile {
  /** @param path default: API_ACCESS_FILE @throws ConfigurationError */
  static find(path?: string): TokenFile {
    const { API_ACCESS_FILE: configured } = readSettings(tokensSettings, commandEnvironment());
    const found = path ?? configured;
    if (found === undefined)
      throw new ConfigurationError(
        'No access file: give --file, set API_ACCESS_FILE, or run npm start in this clone.',
      );
    return new TokenFile(found);
  }

  private constructor(readonly path: string) {}

  /** @throws AccessFileError, or the file system's error */
  async read(): Promise<{ readonly text: string; readonly tokens: readonly AccessToken[] }> {
    const content = await readConfiguredFile(this.path);
    const { tokens } = parseAccessFile(this.path, content);
    return { text: content.toString('utf8'), tokens };
  }

  /**
   * Replaces the file in one step. Changes of several processes exclude each other.
   * @param creates whether the file may be missing; its text is then undefined
   * @throws AccessFileError for a text that the API would refuse
   */
  async change(
    edit: (text: string | undefined, tokens: readonly AccessToken[]) => string,
    { creates = false } = {},
  ): Promise<void> {
    const folder = dirname(this.path);
    if (!existsSync(folder))
      throw new CommandError(`The folder ${folder} does not exist. Give another --file.`, EXIT.configuration);
    try {
      await withFolderLock(this.path, LOCK_TIMEOUT_MS, async () => {
        const isMissing = creates && !existsSync(this.path);
        const { text, tokens } = isMissing ? { text: undefined, tokens: [] } : await this.read();
        const changed = edit(text, tokens);
        parseAccessFile(this.path, Buffer.from(changed));
        // The API may run as another user of the file's group.
        const mode = isMissing ? PRIVATE_FILE_MODE : statSync(this.path).mode & 0o777;
        await writeFileAtomically(this.path, changed, mode);
      });
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      throw new CommandError(`Another process changes ${this.path}. Run the command again.`);
    }
  }

  /** Warns when other users of the machine may open the file. */
  warnIfOpen(): void {
    const open = findOpenPath(this.path);
    if (open !== undefined)
      standardError.writeLine(
        `${open.path} has the mode ${open.mode}: run chmod 600, so that only its owner may open it.`,
      );
  }
}
