import { renderTable } from '@ssb/platform';
import type { AccountAnswer, ShownAccount } from '../admin/shown-account.js';

/** Accounts as a table for people. Pure. */
export function accountTable(accounts: readonly ShownAccount[]): string {
  if (accounts.length === 0) return 'There are no accounts. accounts create makes one; --help tells how.';
  const head = ['client', 'state', 'bound', 'changed', 'scopes'];
  const rows = accounts.map((account) => [
    account.clientId,
    account.disabled ? 'disabled' : 'enabled',
    account.bound ? 'yes' : 'no',
    account.changedAt.replace(/\.\d+Z$/, 'Z'),
    account.scopes.join(' '),
  ]);
  return renderTable(head, rows);
}

/** What was done, for people; with the secret that was made, this once. Pure. */
export function describeAnswer({ outcome, account, secret }: AccountAnswer): string {
  const sentence = `${account.clientId} ${SENTENCES[outcome]}`;
  const grace =
    account.previousSecretUntil === undefined
      ? []
      : [`The old secret is good until ${account.previousSecretUntil}.`];
  const barred = account.disabled ? ['It is disabled: no token is issued to it before it is enabled.'] : [];
  const shown = secret === undefined ? [] : ['Its secret, shown this once:', secret];
  return [sentence, ...grace, ...barred, ...shown].join('\n');
}

const SENTENCES: Readonly<Record<AccountAnswer['outcome'], string>> = {
  created: 'is created.',
  replaced: 'is replaced.',
  kept: 'is there already; nothing is changed.',
  rotated: 'has a new secret.',
};
