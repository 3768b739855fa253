import type { AuthenticatedHash, HashReading } from '@ssb/redis-queue';
import type { FencingToken } from './poller-keys.js';

/** What this process last wrote or verified; undefined for a field that is not stored. */
interface KnownField {
  readonly content: string | undefined;
}

/** A field as this process knows it, otherwise as it is stored. */
export interface FieldReading extends KnownField {
  /** Another client changed or deleted the field. */
  readonly isAltered: boolean;
}

/**
 * The fields that this process last wrote or verified, within one term of the lease and one connection. A stored value that differs was
 * written by another client.
 */
export class KnownFields {
  private known: {
    readonly token?: FencingToken;
    readonly server?: number;
    readonly fields: Map<string, KnownField>;
  } = { fields: new Map() };

  /** @param currentServer changes with each new connection, after which Redis may hold earlier values */
  constructor(private readonly currentServer: () => number) {}

  /** The known fields of a term and the present connection, by `fieldName`. */
  of(token: FencingToken): Map<string, KnownField> {
    const server = this.currentServer();
    if (token !== this.known.token || server !== this.known.server)
      this.known = { token, server, fields: new Map() };
    return this.known.fields;
  }

  /** Called before fields are read. @returns compares them with what was known, and discards those that another client altered */
  startReading(
    token: FencingToken,
    hash: AuthenticatedHash,
    fields: readonly string[],
  ): (reading: HashReading) => ReadonlyMap<string, FieldReading> {
    const known = this.of(token);
    const before = fields.map((field) => known.get(fieldName(hash, field)));
    return (reading) => {
      // Otherwise the connection, the server or the term changed during the reading.
      const isComparable = known === this.known.fields && this.known.server === this.currentServer();
      const readings = new Map<string, FieldReading>();
      for (const [index, field] of fields.entries()) {
        const [name, stored] = [fieldName(hash, field), reading.values.get(field)?.content];
        const { content } = (isComparable ? known.get(name) : undefined) ?? { content: stored };
        // Otherwise a write has begun since the reading did.
        const isUnwritten = isComparable && known.get(name) === before[index];
        if (isUnwritten) known.set(name, { content });
        const isAltered = isUnwritten && content !== stored;
        if (isAltered) reading.discard(field, 'rolled-back');
        readings.set(field, { content, isAltered });
      }
      return readings;
    };
  }
}

export function fieldName({ key }: AuthenticatedHash, field: string): string {
  return `${key} ${field}`;
}
