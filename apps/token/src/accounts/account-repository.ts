import { Inject, Injectable } from '@nestjs/common';
import { BatchLoader, Database, type SqlSession } from '@ssb/database';
import { type SecretHash, secretHashSchema } from '@ssb/platform';
import { readScopes, writeScopes } from '../domain/scopes.js';
import type { Account, AccountDetails } from './account.js';

export interface NewAccount extends Pick<Account, 'clientId' | 'scopes' | 'bound'> {
  readonly secret: SecretHash;
}

export interface AccountPage {
  readonly accounts: readonly AccountDetails[];
  /** Start of the next page, if there is one. */
  readonly next: string | undefined;
}

interface Row {
  readonly client_id: string;
  readonly scopes: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: Date | null;
  readonly bound: boolean;
  readonly disabled: boolean;
  readonly created_at: Date;
  readonly changed_at: Date;
}

interface Found {
  readonly account: Account;
  readonly details: AccountDetails;
}

/** The previous secret is valid until `previous_until` by the clock of the database, which all replicas share. */
const COLUMNS = `client_id, scopes, secret, bound, disabled, created_at, changed_at,
  CASE WHEN previous_until > now() THEN previous_secret END AS previous_secret,
  CASE WHEN previous_until > now() THEN previous_until END AS previous_until`;

/** Accounts in the table `account`, shared by all replicas. Every method throws DatabaseUnavailableError while the server is away. */
@Injectable()
export class AccountRepository {
  private readonly found = new BatchLoader((clientIds) => this.lookUp(clientIds));

  constructor(@Inject(Database) private readonly database: SqlSession) {}

  /** The account with exactly this name. */
  async find(clientId: string): Promise<Account | undefined> {
    return (await this.found.find(clientId))?.account;
  }

  async details(clientId: string): Promise<AccountDetails | undefined> {
    return (await this.found.find(clientId))?.details;
  }

  /** Accounts with names after `after`, at most `limit`, in the order of their names. */
  async list(after: string, limit: number): Promise<AccountPage> {
    // Pages are in byte order, independent of the collation of the database.
    const rows = await this.database.query<Row>(
      `SELECT ${COLUMNS} FROM account WHERE client_id COLLATE "C" > $1 ORDER BY client_id COLLATE "C" LIMIT $2`,
      [after, limit + 1],
    );
    const page = rows.slice(0, limit).map(detailsOf);
    return { accounts: page, next: rows.length > limit ? page.at(-1)?.clientId : undefined };
  }

  /** Adds the account. Returns false and changes nothing if the name is taken. */
  async add(account: NewAccount): Promise<boolean> {
    const added = await this.database.query(
      `INSERT INTO account (client_id, scopes, secret, bound) VALUES ($1, $2, $3, $4)
       ON CONFLICT (client_id) DO NOTHING RETURNING client_id`,
      valuesOf(account),
    );
    return added.length > 0;
  }

  /** Adds the account, or replaces its scopes, binding and secrets. A disabled account stays disabled. */
  async put(account: NewAccount): Promise<void> {
    await this.database.query(
      `INSERT INTO account (client_id, scopes, secret, bound) VALUES ($1, $2, $3, $4)
       ON CONFLICT (client_id) DO UPDATE SET scopes = EXCLUDED.scopes, secret = EXCLUDED.secret, bound = EXCLUDED.bound,
         previous_secret = NULL, previous_until = NULL, changed_at = now()`,
      valuesOf(account),
    );
  }

  /** Sets a new secret. The previous one stays valid for `graceSeconds`. Returns false if there is no such account. */
  async rotate(clientId: string, secret: SecretHash, graceSeconds: number): Promise<boolean> {
    const changed = await this.database.query(
      `UPDATE account SET secret = $2, changed_at = now(),
         previous_secret = CASE WHEN $3::int > 0 THEN secret END,
         previous_until = CASE WHEN $3::int > 0 THEN now() + make_interval(secs => $3::int) END
       WHERE client_id = $1 RETURNING client_id`,
      [clientId, JSON.stringify(secret), graceSeconds],
    );
    return changed.length > 0;
  }

  /** Disables or enables the account. Returns false if there is no such account. */
  async setDisabled(clientId: string, disabled: boolean): Promise<boolean> {
    const changed = await this.database.query(
      `UPDATE account SET disabled = $2, changed_at = CASE WHEN disabled = $2 THEN changed_at ELSE now() END
       WHERE client_id = $1 RETURNING client_id`,
      [clientId, disabled],
    );
    return changed.length > 0;
  }

  private async lookUp(clientIds: readonly string[]): Promise<ReadonlyMap<string, Found>> {
    // PostgreSQL text cannot contain NUL, so no account name does.
    const names = clientIds.filter((clientId) => !clientId.includes('\0'));
    const sql = `SELECT ${COLUMNS} FROM account WHERE client_id = ANY($1::text[])`;
    const rows = await this.database.query<Row>(sql, [names]);
    return new Map(rows.map((row) => [row.client_id, foundIn(row)]));
  }
}

function valuesOf({ clientId, scopes, secret, bound }: NewAccount): [string, string, string, boolean] {
  return [clientId, writeScopes(scopes), JSON.stringify(secret), bound];
}

/** Parsed once for all requests of one lookup. */
function foundIn(row: Row): Found {
  const details = detailsOf(row);
  const { clientId, scopes, bound, disabled } = details;
  const before = row.previous_secret === null ? [] : [readHash(row.previous_secret)];
  return {
    details,
    account: { clientId, scopes, bound, disabled, secrets: [readHash(row.secret), ...before] },
  };
}

function detailsOf(row: Row): AccountDetails {
  const { client_id: clientId, bound, disabled, created_at: createdAt, changed_at: changedAt } = row;
  const previousSecretUntil = row.previous_until ?? undefined;
  return {
    clientId,
    scopes: readScopes(row.scopes),
    bound,
    disabled,
    createdAt,
    changedAt,
    previousSecretUntil,
  };
}

function readHash(text: string): SecretHash {
  return secretHashSchema.parse(JSON.parse(text));
}
