import { parentPort } from 'node:worker_threads';
import type { SchemaProblem } from '../../errors/refusal.js';
import { BadSchemaError, compileTopicSchema, createSchemaCache, type PayloadCheck } from './topic-schema.js';

/** A schema to compile, and optionally a payload to validate. */
export interface SchemaJob {
  readonly schema: string;
  readonly payload?: string;
}

export type SchemaResult =
  | { readonly kind: 'compiled'; readonly compileMs: number }
  | { readonly kind: 'checked'; readonly problems: readonly SchemaProblem[] }
  | { readonly kind: 'bad-schema'; readonly reason: string };

/** Includes the compile time, because a job with a cached schema reports it again. */
const compiled = createSchemaCache<{ readonly check: PayloadCheck; readonly compileMs: number }>();

function run({ schema, payload }: SchemaJob): SchemaResult {
  let entry = compiled.get(schema);
  if (entry === undefined) {
    const startedAt = performance.now();
    try {
      const check = compileTopicSchema(schema, Infinity);
      entry = { check, compileMs: performance.now() - startedAt };
    } catch (error) {
      if (error instanceof BadSchemaError) return { kind: 'bad-schema', reason: error.message };
      throw error;
    }
    compiled.set(schema, entry);
  }
  if (payload === undefined) return { kind: 'compiled', compileMs: entry.compileMs };
  return { kind: 'checked', problems: entry.check(payload) ?? [] };
}

parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(run(job)));
parentPort?.postMessage('ready');
