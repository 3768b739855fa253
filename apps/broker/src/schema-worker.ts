import { parentPort } from 'node:worker_threads';
import { BadSchemaError, compileTopicSchema, type PayloadCheck } from './domain/topic-schema.js';
import { schemaCache } from './schema-cache.js';
import type { SchemaJob, SchemaResult } from './schema-checks.js';

const compiled = schemaCache<PayloadCheck>();

function run({ schema, payload }: SchemaJob): SchemaResult {
  const began = performance.now();
  let check = compiled.get(schema);
  if (check === undefined) {
    try {
      check = compileTopicSchema(schema, Infinity);
    } catch (error) {
      if (error instanceof BadSchemaError) return { kind: 'bad-schema', reason: error.message };
      throw error;
    }
    compiled.set(schema, check);
  }
  if (payload === undefined) return { kind: 'compiled', tookMs: performance.now() - began };
  return { kind: 'checked', problems: check(payload) ?? [] };
}

parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(run(job)));
parentPort?.postMessage('ready');
