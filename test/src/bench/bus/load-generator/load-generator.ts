import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PostTarget } from './request-texts.js';

export interface Job {
  readonly target: PostTarget;
  /** How many to publish, unless stopped before. */
  readonly total: number;
  readonly inFlight: number;
}

export interface JobResult {
  readonly seconds: number;
  /** Milliseconds from sending to the last byte of the answer, one for each message. */
  readonly latencies: readonly number[];
  /** Processor time of the generator itself, milliseconds. */
  readonly cpuMs: number;
}

/** The load generator could not do what it was asked, or ended. */
export class LoadFailedError extends Error {
  override readonly name = 'LoadFailedError';
}

/** The load generator: a process of its own, so that who measures has its thread for what it measures itself. One job at a time. */
export class LoadGenerator {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown[]>;

  constructor() {
    this.child = fork(fileURLToPath(new URL('./load-process.js', import.meta.url)), { stdio: 'inherit' });
    this.ended = once(this.child, 'exit');
  }

  /** @throws LoadFailedError with the first answer that was not 200 */
  async run(job: Job): Promise<JobResult> {
    const answer = once(this.child, 'message');
    this.child.send(job);
    const [result] = (await Promise.race([answer, this.failed()])) as [JobResult | { failure: string }];
    if ('failure' in result) throw new LoadFailedError(result.failure);
    return result;
  }

  /** Publishes without end. @returns stops it, and waits for what is in flight */
  flood(target: PostTarget, inFlight: number): () => Promise<JobResult> {
    const running = this.run({ target, total: Number.MAX_SAFE_INTEGER, inFlight });
    // Whoever stops it is told of a failure, also of one long before.
    running.catch(() => undefined);
    return () => {
      this.child.send('stop');
      return running;
    };
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.ended;
  }

  private async failed(): Promise<never> {
    const [status] = await this.ended;
    throw new LoadFailedError(`the load generator ended with ${String(status)}`);
  }
}
