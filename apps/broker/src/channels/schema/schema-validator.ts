import type { Logger } from '@ssb/platform';
import { Mutex } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import type { SchemaProblem } from '../../errors/refusal.js';
import { DeadlineWorker } from './deadline-worker.js';
import type { SchemaJob, SchemaResult } from './schema-worker.js';
import { BadSchemaError, compileTopicSchema, createSchemaCache, type PayloadCheck } from './topic-schema.js';

/** Limit of a check on the main thread: about 20 ms of regular-expression matching. */
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

/** Validates payloads. Short checks run on the main thread, others in a worker thread with a time limit (decision 22). */
export class SchemaValidator {
  private readonly checks = createSchemaCache<PayloadCheck>();
  private readonly blocked: LRUCache<string, true>;
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

  /** Compiles the schema and caches its check. @throws BadSchemaError with the reason */
  async compile(schema: string): Promise<void> {
    const check = await this.runExclusive(schema, () => this.getCheck(schema));
    if (check === undefined) throw new BadSchemaError('it takes too long to be compiled');
  }

  /** @returns the problems of the payload, empty when it is valid; a promise only when the worker is needed */
  validate(schema: string, payload: string): readonly SchemaProblem[] | Promise<readonly SchemaProblem[]> {
    // The schema `true` accepts any text, even if it is not JSON.
    if (schema === 'true') return [];
    if (this.blocked.has(schema)) return TOO_SLOW;
    const problems = this.checks.get(schema)?.(payload);
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
    if (this.blocked.has(schema)) return TOO_SLOW;
    const check = await this.getCheck(schema);
    const problems = check && (check(payload) ?? (await this.validateInWorker(schema, payload)));
    if (problems !== undefined) return problems;
    this.blocked.set(schema, true);
    const restMs = BLOCK_FACTOR * this.limitMs;
    this.log.warn({ limitMs: this.limitMs, restMs }, 'topic schema check timed out');
    return TOO_SLOW;
  }

  /** The check for the main thread, which returns undefined when the worker must check. Undefined when compiling times out. */
  private async getCheck(schema: string): Promise<PayloadCheck | undefined> {
    const cached = this.checks.get(schema);
    if (cached) return cached;
    const compileMs = await this.compileInWorker(schema);
    if (compileMs === undefined) return undefined;
    const isInline = compileMs <= MAX_INLINE_COMPILE_MS;
    const check = isInline ? compileTopicSchema(schema, MAX_INLINE_STEPS) : () => undefined;
    this.checks.set(schema, check);
    return check;
  }

  /** @returns the compile time in milliseconds; undefined after a timeout */
  private async compileInWorker(schema: string): Promise<number | undefined> {
    const result = await this.worker.run({ schema }, COMPILE_FACTOR * this.limitMs);
    if (result?.kind === 'bad-schema') throw new BadSchemaError(result.reason);
    return result?.kind === 'compiled' ? result.compileMs : undefined;
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
