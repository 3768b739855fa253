import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PostTarget } from './request-texts.js';

export interface Job {
  readonly target: PostTarget;
  /** Number of messages, unless the job is stopped earlier. */
  readonly total: number;
  readonly inFlight: number;
}

export interface JobResult {
  readonly seconds: number;
  /** Milliseconds from the request to the last byte of the response, one for each message. */
  readonly latencies: readonly number[];
  /** Processor time of the load generator, milliseconds. */
  readonly cpuMs: number;
}

/** The load generator could not complete a job, or its process ended. */
export class LoadFailedError extends Error {
  override readonly name = 'LoadFailedError';
}

/** Generates load in a process of its own, so that it does not delay the measuring process. It runs one job at a time. */
export class LoadGenerator {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown[]>;

  constructor() {
    this.child = fork(fileURLToPath(new URL('./load-process.js', import.meta.url)), { stdio: 'inherit' });
    this.exited = once(this.child, 'exit');
  }

  /** @throws LoadFailedError for the first response that is not 200 */
  async run(job: Job): Promise<JobResult> {
    const response = once(this.child, 'message');
    this.child.send(job);
    const [result] = (await Promise.race([response, this.failOnExit()])) as [JobResult | { failure: string }];
    if ('failure' in result) throw new LoadFailedError(result.failure);
    return result;
  }

  /** Publishes until the returned function is called, which also waits for requests in flight. */
  flood(target: PostTarget, inFlight: number): () => Promise<JobResult> {
    const running = this.run({ target, total: Number.MAX_SAFE_INTEGER, inFlight });
    // The returned function reports a failure, however early it was.
    running.catch(() => undefined);
    return () => {
      this.child.send('stop');
      return running;
    };
  }

  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    await this.exited;
  }

  private async failOnExit(): Promise<never> {
    const [status] = await this.exited;
    throw new LoadFailedError(`the load generator ended with ${String(status)}`);
  }
}
