import { parentPort } from 'node:worker_threads';
import { BadSchemaError, compileTopicSchema, schemaCache, type PayloadCheck } from './topic-schema.js';
import type { SchemaJob, SchemaResult } from './schema-validator.js';

/** With the time that compiling took, also for a schema that is asked for again. */
const compiled = schemaCache<{ readonly check: PayloadCheck; readonly tookMs: number }>();

function run({ schema, payload }: SchemaJob): SchemaResult {
  let entry = compiled.get(schema);
  if (entry === undefined) {
    const began = performance.now();
    try {
      const check = compileTopicSchema(schema, Infinity);
      entry = { check, tookMs: performance.now() - began };
    } catch (error) {
      if (error instanceof BadSchemaError) return { kind: 'bad-schema', reason: error.message };
      throw error;
    }
    compiled.set(schema, entry);
  }
  if (payload === undefined) return { kind: 'compiled', tookMs: entry.tookMs };
  return { kind: 'checked', problems: entry.check(payload) ?? [] };
}

parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(run(job)));
parentPort?.postMessage('ready');
