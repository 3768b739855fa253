import { stat } from 'node:fs/promises';
import type { Account, AccountStore } from './account-store.js';
import { AccountsFileError, readAccountsFile } from './accounts-file.js';

/** Accounts from one JSON file, read again whenever the file has changed. */
export class FileAccountStore implements AccountStore {
  private accounts = new Map<string, Account>();
  private version: string | undefined;

  private constructor(private readonly path: string) {}

  /** @throws AccountsFileError */
  static async open(path: string): Promise<FileAccountStore> {
    const store = new FileAccountStore(path);
    await store.refresh();
    return store;
  }

  async find(clientId: string): Promise<Account | undefined> {
    await this.refresh();
    return this.accounts.get(clientId);
  }

  /**
   * Reads the file if it is another than last time. A file that went bad is an error, not the accounts of before: one of
   * them may have been withdrawn.
   * @throws AccountsFileError
   */
  async refresh(): Promise<void> {
    const version = await versionOf(this.path);
    if (version === this.version) return;
    const accounts = await readAccountsFile(this.path);
    this.accounts = new Map(accounts.map((account) => [account.clientId, account]));
    this.version = version;
  }
}

/** The file is always replaced as a whole, so a new content has a new inode. */
async function versionOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch((cause: unknown) => {
    throw new AccountsFileError(path, 'cannot be read', { cause });
  });
  return [found.ino, found.mtimeNs, found.size].join(' ');
}
