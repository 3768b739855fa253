import type { Logger } from '@ssb/platform';
import { Mutex } from 'async-mutex';
import { LRUCache } from 'lru-cache';
import { DeadlineWorker } from './deadline-worker.js';
import type { SchemaProblem } from '../../errors/refusal.js';
import { BadSchemaError, compileTopicSchema, schemaCache, type PayloadCheck } from './topic-schema.js';

/** Compiles a schema, and checks a payload if there is one. */
export interface SchemaJob {
  readonly schema: string;
  readonly payload?: string;
}

export type SchemaResult =
  | { readonly kind: 'compiled'; readonly tookMs: number }
  | { readonly kind: 'checked'; readonly problems: readonly SchemaProblem[] }
  | { readonly kind: 'bad-schema'; readonly reason: string };

/** Steps of a check on the main thread: at most some 20 ms of regular expressions. */
const MAX_INLINE_STEPS = 2 ** 25;
/** A schema that took longer to compile is not compiled on the main thread. */
const MAX_INLINE_COMPILE_MS = 300;
/** Compiling a schema may take as long as so many checks. */
const COMPILE_CHECKS = 10;
/** After a check that took too long, its schema refuses everything for so many times the limit. */
const REST_CHECKS = 100;
const MAX_RESTING = 100;
const MAX_WORKER_MB = 256;

const TOO_LONG: readonly SchemaProblem[] = [
  { path: '', message: 'takes too long to be checked against this schema' },
];

/** Compiled beside the source in development and tests as well: a worker thread runs only what is built. */
const WORKER_FILE = new URL('./schema-worker.js', import.meta.url);

/**
 * Checks payloads against topic schemas: short checks on the main thread, all others in a worker thread within a time limit (decision 22).
 */
export class SchemaChecks {
  private readonly known = schemaCache<PayloadCheck>();
  private readonly resting: LRUCache<string, true>;
  private readonly worker = new DeadlineWorker<SchemaJob, SchemaResult>(WORKER_FILE, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_WORKER_MB },
  });
  private readonly workerInUse = new Mutex();
  /** One job of a schema waits for the worker at a time, so that many messages of one channel do not delay another channel. */
  private readonly schemasInUse = new Map<string, Mutex>();

  /** @param limitMs of one check in the worker */
  constructor(
    private readonly limitMs: number,
    private readonly log: Logger,
  ) {
    this.resting = new LRUCache({ max: MAX_RESTING, ttl: REST_CHECKS * limitMs });
  }

  /** @throws BadSchemaError with what is wrong with the schema */
  async compile(schema: string): Promise<void> {
    const check = await this.inTurn(schema, () => this.find(schema));
    if (check === undefined) throw new BadSchemaError('it takes too long to be compiled');
  }

  /** What is wrong with a payload; empty when it fits. At once unless the worker is needed. A schema of `true` takes any text. */
  check(schema: string, payload: string): readonly SchemaProblem[] | Promise<readonly SchemaProblem[]> {
    if (schema === 'true') return [];
    if (this.resting.has(schema)) return TOO_LONG;
    const problems = this.known.get(schema)?.(payload);
    return problems ?? this.inTurn(schema, () => this.checkInTurn(schema, payload));
  }

  close(): Promise<void> {
    return this.worker.close();
  }

  private async inTurn<T>(schema: string, work: () => Promise<T>): Promise<T> {
    const mutex = this.schemasInUse.get(schema) ?? new Mutex();
    this.schemasInUse.set(schema, mutex);
    try {
      return await mutex.runExclusive(() => this.workerInUse.runExclusive(work));
    } finally {
      if (!mutex.isLocked()) this.schemasInUse.delete(schema);
    }
  }

  private async checkInTurn(schema: string, payload: string): Promise<readonly SchemaProblem[]> {
    if (this.resting.has(schema)) return TOO_LONG;
    const check = await this.find(schema);
    const problems = check && (check(payload) ?? (await this.checkInWorker(schema, payload)));
    if (problems !== undefined) return problems;
    this.resting.set(schema, true);
    const restMs = REST_CHECKS * this.limitMs;
    this.log.warn({ limitMs: this.limitMs, restMs }, 'topic schema check timed out');
    return TOO_LONG;
  }

  /** The check for the main thread; undefined when it takes too long to be compiled. */
  private async find(schema: string): Promise<PayloadCheck | undefined> {
    const known = this.known.get(schema);
    if (known) return known;
    const tookMs = await this.compileInWorker(schema);
    if (tookMs === undefined) return undefined;
    const inline = tookMs <= MAX_INLINE_COMPILE_MS;
    const check = inline ? compileTopicSchema(schema, MAX_INLINE_STEPS) : () => undefined;
    this.known.set(schema, check);
    return check;
  }

  private async compileInWorker(schema: string): Promise<number | undefined> {
    const result = await this.worker.run({ schema }, COMPILE_CHECKS * this.limitMs);
    if (result?.kind === 'bad-schema') throw new BadSchemaError(result.reason);
    return result?.kind === 'compiled' ? result.tookMs : undefined;
  }

  private async checkInWorker(
    schema: string,
    payload: string,
  ): Promise<readonly SchemaProblem[] | undefined> {
    // A worker that was terminated has lost what it compiled, and compiling has a limit of its own.
    if ((await this.compileInWorker(schema)) === undefined) return undefined;
    const result = await this.worker.run({ schema, payload }, this.limitMs);
    return result?.kind === 'checked' ? result.problems : undefined;
  }
}
