import { existsSync } from 'node:fs';
import { parseAccessFile, type AccessToken } from '@ssb/keys';
import {
  ConfigurationError,
  findOpenPath,
  readConfiguredFile,
  readSettings,
  standardError,
  writeFileAtomically,
} from '@ssb/platform';
import { commandEnvironment, tokensSettings } from '../settings.js';

/** The access file of the archive API, as the commands read and write it. */
export class TokenFile {
  /** @param path default: API_ACCESS_FILE, @throws ConfigurationError */
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

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** @throws AccessFileError, or the file system's error */
  async read(): Promise<{ readonly text: string; readonly tokens: readonly AccessToken[] }> {
    const content = await readConfiguredFile(this.path);
    const { tokens } = parseAccessFile(this.path, content);
    return { text: content.toString('utf8'), tokens };
  }

  /** Replaces the file in one step. @throws AccessFileError for a text that the API would refuse */
  async write(text: string): Promise<void> {
    parseAccessFile(this.path, Buffer.from(text));
    await writeFileAtomically(this.path, text);
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
