import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '@ssb/platform';
import { z } from 'zod';
import { type Scope, parseScope, writeScope } from '../domain/scopes.js';
import type { Account } from './account-store.js';
import { secretHashSchema } from './secret-hash.js';

const scopeSchema = z.codec(z.string(), z.custom<Scope>(), {
  decode: (text, context) => {
    const scope = parseScope(text);
    if (scope !== undefined) return scope;
    const message = 'expected <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>';
    context.issues.push({ code: 'custom', input: text, message });
    return z.NEVER;
  },
  encode: writeScope,
});

const accountsFileSchema = z.strictObject({
  accounts: z
    .array(
      z.strictObject({
        clientId: z.string().min(1).max(1024),
        secret: secretHashSchema,
        scopes: z.array(scopeSchema),
      }),
    )
    .refine(
      (accounts) => new Set(accounts.map(({ clientId }) => clientId)).size === accounts.length,
      'a clientId is there twice',
    ),
});

/** The accounts file is missing, unreadable or not what the accounts command writes. */
export class AccountsFileError extends Error {
  override readonly name = 'AccountsFileError';
  constructor(
    readonly path: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`the accounts file ${path} ${reason}`, options);
  }
}

/** @throws AccountsFileError */
export async function readAccountsFile(path: string): Promise<Account[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AccountsFileError(path, 'cannot be read', { cause });
  });
  const result = accountsFileSchema.safeParse(parse(path, text));
  if (!result.success) throw new AccountsFileError(path, `is not valid: ${z.prettifyError(result.error)}`);
  return result.data.accounts;
}

/** Replaces the file in one step, readable by its owner alone. */
export async function writeAccountsFile(path: string, accounts: readonly Account[]): Promise<void> {
  const content = z.encode(accountsFileSchema, {
    accounts: accounts.map(({ clientId, secret, scopes }) => ({ clientId, secret, scopes: [...scopes] })),
  });
  await writeFileAtomically(path, `${JSON.stringify(content, undefined, 2)}\n`, 0o600);
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AccountsFileError(path, 'is not JSON', { cause });
  }
}
