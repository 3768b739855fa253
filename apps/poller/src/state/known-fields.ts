import { type RedisConnection, watchServer } from '@ssb/redis-queue';
import type { FencingToken } from '../lease/lease.js';

/** A field that only the leader writes. */
export interface FieldReading {
  /** What the leader last wrote or verified, if it knows; otherwise the stored content. */
  readonly content: string | undefined;
  /** Another client changed or deleted the field. */
  readonly isAltered: boolean;
}

interface Known {
  readonly content: string | undefined;
}

/**
 * What the leader last wrote or verified, field by field. Only the leader writes, so another content that it finds was put back by another
 * client. It is known within one term of the lease and one connection: after a failover Redis may hold earlier values.
 */
export class KnownFields {
  private token: FencingToken | undefined;
  private fields = new Map<string, Known>();
  private readonly currentServer: () => number;
  private server: number | undefined;

  /** @param key of the hash */
  constructor(redis: RedisConnection, key: string) {
    this.currentServer = watchServer(redis, key);
  }

  /** The fields are unknown until the returned function is called, because a write that failed may be stored. */
  beginWrite(
    token: FencingToken,
    contents: readonly (readonly [field: string, content: string | undefined])[],
  ): () => void {
    const fields = this.fieldsOf(token);
    for (const [field] of contents) fields.delete(field);
    return () => {
      for (const [field, content] of contents) fields.set(field, { content });
    };
  }

  /** @returns a function that compares the contents that were read */
  beginRead(
    token: FencingToken,
    names: readonly string[],
  ): (contents: ReadonlyMap<string, string | undefined>) => ReadonlyMap<string, FieldReading> {
    const fields = this.fieldsOf(token);
    const before = new Map(names.map((name) => [name, fields.get(name)]));
    return (contents) => {
      const readings = new Map<string, FieldReading>();
      // The connection, the server or the term changed during the reading.
      if (fields !== this.fields || this.server !== this.currentServer())
        return new Map(names.map((name) => [name, { content: contents.get(name), isAltered: false }]));
      for (const name of names) {
        const [stored, known] = [contents.get(name), fields.get(name)];
        const { content } = known ?? { content: stored };
        // Otherwise a write has begun since the reading did.
        const isComparable = known === before.get(name);
        if (isComparable) fields.set(name, { content });
        readings.set(name, { content, isAltered: isComparable && content !== stored });
      }
      return readings;
    };
  }

  private fieldsOf(token: FencingToken): Map<string, Known> {
    const server = this.currentServer();
    if (token !== this.token || server !== this.server) {
      this.token = token;
      this.server = server;
      this.fields = new Map();
    }
    return this.fields;
  }
}
