import { access } from 'node:fs/promises';

/** Whether there is a file of this name. Any trouble but "not there" is thrown: it must not pass for an absent file. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => {
      if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT')
        return false;
      throw error;
    },
  );
}
