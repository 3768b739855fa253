import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../check/run-command.js';
import { PIP, type Program } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';

/** What a tool that unpacks a wheel needs. */
export const WHEEL_PROGRAMS: readonly Program[] = [PIP];

/** A package of the Python registry, pinned with its digests in `tools/python/<name>.txt`. */
export class Wheel {
  readonly version: string;
  private readonly file: string;

  constructor(name: string) {
    this.file = join(REPOSITORY_ROOT, 'tools/python', `${name}.txt`);
    const text = readFileSync(this.file, 'utf8');
    const pinned = /^[\w-]+==([\w.]+)/m.exec(text)?.[1] ?? 'unpinned';
    this.version = `${pinned}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  }

  /** Unpacks the package into the folder. Its programs are then in `bin`. */
  async unpack(folder: string): Promise<void> {
    const pip = PIP.find(process.env['PATH'] ?? '');
    if (pip === undefined) throw new Error('pip is required. Install the Debian package python3-pip.');
    const { ok, output } = await runCommand(pip, [
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary=:all:',
      '--require-hashes',
      '--target',
      folder,
      '--requirement',
      this.file,
    ]);
    if (!ok) throw new Error(`pip install --requirement ${this.file} failed:\n${output}`);
  }
}
