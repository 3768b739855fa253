import { parentPort } from 'node:worker_threads';
import type { SchemaProblem } from '../../errors/refusal.js';
import { BadSchemaError, compileTopicSchema, createSchemaCache, type PayloadCheck } from './topic-schema.js';

/** Compiles a schema, and validates a payload if there is one. */
export interface SchemaJob {
  readonly schema: string;
  readonly payload?: string;
}

export type SchemaResult =
  | { readonly kind: 'compiled'; readonly compileMs: number }
  | { readonly kind: 'checked'; readonly problems: readonly SchemaProblem[] }
  | { readonly kind: 'bad-schema'; readonly reason: string };

/** Keeps the compile time, which a repeated job reports again. */
const compiled = createSchemaCache<{ readonly check: PayloadCheck; readonly compileMs: number }>();

function run({ schema, payload }: SchemaJob): SchemaResult {
  let entry = compiled.get(schema);
  if (entry === undefined) {
    const started = performance.now();
    try {
      const check = compileTopicSchema(schema, Infinity);
      entry = { check, compileMs: performance.now() - started };
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
