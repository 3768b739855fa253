import { rmSync } from 'node:fs';

/** Removes a folder when the returned function is called, at the latest when the process ends. */
export function removeOnExit(folder: string): () => void {
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return remove;
}
