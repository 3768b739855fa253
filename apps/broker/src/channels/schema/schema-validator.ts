import { createHash } from 'node:crypto';
import type { Logger } from '@ssb/platform';
import { Mutex } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import type { SchemaProblem } from '../../errors/refusal.js';
import { DeadlineWorker } from './deadline-worker.js';
import { BadSchemaError, type SchemaWarning } from './drafts/prepare-schema.js';
import type { SchemaJob, SchemaResult } from './schema-worker.js';
import {
  CANNOT_BE_CHECKED,
  compileTopicSchema,
  createSchemaCache,
  type CompiledSchema,
} from './topic-schema.js';

/** Limit of a check on the main thread, at most about 25 ms. */
const MAX_INLINE_STEPS = 2 ** 25;
/** A schema that takes longer to compile is used only in the worker. */
const MAX_INLINE_COMPILE_MS = 300;
/** Compiling may take this many times the limit of a check. */
const COMPILE_FACTOR = 10;
/** After a timeout, the schema refuses every payload for this many times the limit of a check. */
const BLOCK_FACTOR = 100;
const MAX_BLOCKED_SCHEMAS = 100;
const MAX_WORKER_MB = 256;

const TOO_SLOW: readonly SchemaProblem[] = [
  { path: '', message: 'takes too long to be checked against this schema' },
];

/** The output of `tsc`: a worker thread cannot load TypeScript. */
const WORKER_FILE = new URL('./schema-worker.js', import.meta.url);

/** Validates payloads. Short checks run on the main thread, others in a worker thread with a time limit. */
export class SchemaValidator {
  private readonly compiled = createSchemaCache<CompiledSchema>();
  /** Schemas that refuse every payload for some time, with the problem that is reported. */
  private readonly blocked: LRUCache<string, readonly SchemaProblem[]>;
  /** Schemas whose failed checks are logged. */
  private readonly failed = new LRUCache<string, true>({ max: MAX_BLOCKED_SCHEMAS });
  private readonly worker = new DeadlineWorker<SchemaJob, SchemaResult>(WORKER_FILE, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_WORKER_MB },
  });
  private readonly workerMutex = new Mutex();
  /** At most one job of each schema waits for the worker, so that many messages on one channel do not delay other channels. */
  private readonly schemaMutexes = new Map<string, Mutex>();

  /** @param limitMs time limit of one check in the worker */
  constructor(
    private readonly limitMs: number,
    private readonly log: Logger,
  ) {
    this.blocked = new LRUCache({ max: MAX_BLOCKED_SCHEMAS, ttl: BLOCK_FACTOR * limitMs });
  }

  /**
   * Compiles the schema and caches its check.
   * @returns the parts of the schema that are not evaluated
   * @throws BadSchemaError with the reason
   */
  async compile(schema: string): Promise<readonly SchemaWarning[]> {
    const compiled = await this.runExclusive(schema, () => this.getCompiled(schema));
    if (compiled === undefined) throw new BadSchemaError('it takes too long to be compiled');
    return compiled.warnings;
  }

  /** @returns the problems of the payload, empty when it is valid; a promise only when the worker is needed */
  validate(schema: string, payload: string): readonly SchemaProblem[] | Promise<readonly SchemaProblem[]> {
    // The schema `true` accepts any text, even if it is not JSON.
    if (schema === 'true') return [];
    const problems = this.blocked.get(schema) ?? this.compiled.get(schema)?.check(payload);
    if (problems) this.logFailure(schema, problems);
    return problems ?? this.runExclusive(schema, () => this.validateExclusive(schema, payload));
  }

  close(): Promise<void> {
    return this.worker.close();
  }

  private async runExclusive<T>(schema: string, work: () => Promise<T>): Promise<T> {
    const mutex = this.schemaMutexes.get(schema) ?? new Mutex();
    this.schemaMutexes.set(schema, mutex);
    try {
      return await mutex.runExclusive(() => this.workerMutex.runExclusive(work));
    } finally {
      if (!mutex.isLocked()) this.schemaMutexes.delete(schema);
    }
  }

  private async validateExclusive(schema: string, payload: string): Promise<readonly SchemaProblem[]> {
    const blocked = this.blocked.get(schema);
    if (blocked) return blocked;
    try {
      const compiled = await this.getCompiled(schema);
      const problems =
        compiled && (compiled.check(payload) ?? (await this.validateInWorker(schema, payload)));
      if (problems) this.logFailure(schema, problems);
      return problems ?? this.block(schema, TOO_SLOW, 'topic schema check timed out');
    } catch (error) {
      if (!(error instanceof BadSchemaError)) throw error;
      // An earlier version of the broker accepted the schema.
      const message = `cannot be checked, because its schema is invalid: ${error.message}`;
      return this.block(schema, [{ path: '', message }], 'topic schema invalid');
    }
  }

  /** Logs the first failure of each schema, without the payload. */
  private logFailure(schema: string, problems: readonly SchemaProblem[]): void {
    if (problems[0]?.message !== CANNOT_BE_CHECKED || this.failed.has(schema)) return;
    this.failed.set(schema, true);
    const sha256 = createHash('sha256').update(schema).digest('hex');
    this.log.error({ sha256 }, 'topic schema check failed');
  }

  private block(schema: string, problems: readonly SchemaProblem[], event: string): readonly SchemaProblem[] {
    this.blocked.set(schema, problems);
    this.log.warn({ limitMs: this.limitMs, restMs: BLOCK_FACTOR * this.limitMs }, event);
    return problems;
  }

  /** The check for the main thread, which returns undefined when the worker must check. Undefined when compiling times out. */
  private async getCompiled(schema: string): Promise<CompiledSchema | undefined> {
    const cached = this.compiled.get(schema);
    if (cached) return cached;
    const result = await this.compileInWorker(schema);
    if (result === undefined) return undefined;
    const { compileMs, warnings } = result;
    const isInline = compileMs <= MAX_INLINE_COMPILE_MS;
    const check = isInline ? compileOnFirstUse(schema) : () => undefined;
    const compiled = { check, warnings };
    this.compiled.set(schema, compiled);
    return compiled;
  }

  /** @returns undefined after a timeout. @throws BadSchemaError */
  private async compileInWorker(schema: string) {
    const result = await this.worker.run({ schema }, COMPILE_FACTOR * this.limitMs);
    if (result?.kind === 'bad-schema') throw new BadSchemaError(result.reason, result.known);
    return result?.kind === 'compiled' ? result : undefined;
  }

  private async validateInWorker(
    schema: string,
    payload: string,
  ): Promise<readonly SchemaProblem[] | undefined> {
    // A new worker must compile the schema first. Compiling has a separate time limit.
    if ((await this.compileInWorker(schema)) === undefined) return undefined;
    const result = await this.worker.run({ schema, payload }, this.limitMs);
    return result?.kind === 'checked' ? result.problems : undefined;
  }
}

/** Most topics of a new channel have no message for long, so only their first message compiles their schema on the main thread. */
function compileOnFirstUse(schema: string): CompiledSchema['check'] {
  let check: CompiledSchema['check'] | undefined;
  return (payload) => (check ??= compileTopicSchema(schema, MAX_INLINE_STEPS).check)(payload);
}
