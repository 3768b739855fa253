import { parentPort } from 'node:worker_threads';
import type { SchemaProblem } from '../../errors/refusal.js';
import { BadSchemaError, type SchemaWarning } from './drafts/prepare-schema.js';
import {
  checkTopicSchema,
  compileTopicSchema,
  createSchemaCache,
  type CompiledSchema,
} from './topic-schema.js';

/** A schema to compile, and optionally a payload to validate. */
export interface SchemaJob {
  readonly schema: string;
  readonly payload?: string;
}

export type SchemaResult =
  | { readonly kind: 'compiled'; readonly compileMs: number; readonly warnings: readonly SchemaWarning[] }
  | { readonly kind: 'checked'; readonly problems: readonly SchemaProblem[] }
  | { readonly kind: 'bad-schema'; readonly reason: string; readonly known: readonly string[] };

/** Includes the compile time, because a job with a cached schema reports it again. */
const compiled = createSchemaCache<CompiledSchema & { readonly compileMs: number }>();

function run({ schema, payload }: SchemaJob): SchemaResult {
  let entry = compiled.get(schema);
  if (entry === undefined) {
    try {
      checkTopicSchema(schema);
      const startedAt = performance.now();
      const compiledSchema = compileTopicSchema(schema, Infinity);
      entry = { ...compiledSchema, compileMs: performance.now() - startedAt };
    } catch (error) {
      if (error instanceof BadSchemaError) {
        return { kind: 'bad-schema', reason: error.message, known: error.known };
      }
      throw error;
    }
    compiled.set(schema, entry);
  }
  const { compileMs, warnings } = entry;
  if (payload === undefined) return { kind: 'compiled', compileMs, warnings };
  return { kind: 'checked', problems: entry.check(payload) ?? [] };
}

parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(run(job)));
parentPort?.postMessage('ready');
