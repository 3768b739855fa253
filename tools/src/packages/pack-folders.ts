import { join } from 'node:path';
import { runCommand } from '../check/run-command.js';

/** Packs folders as npm publishes them, without their scripts. @returns the packed files */
export async function packFolders(folders: readonly string[], target: string): Promise<string[]> {
  const args = ['pack', ...folders, '--pack-destination', target, '--ignore-scripts', '--json'];
  const { ok, output, standardOutput } = await runCommand('npm', args, { cwd: target, timeoutMs: 120_000 });
  if (!ok) throw new Error(`npm pack failed:\n${output}`);
  const packed = JSON.parse(standardOutput) as readonly { readonly filename: string }[];
  // Some versions of npm write the name of a scope with its slash.
  return packed.map(({ filename }) => join(target, filename.replace('@', '').replaceAll('/', '-')));
}
