import { once } from 'node:events';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * A worker thread for one job at a time, each with a time limit. The first job starts it.
 * A job that exceeds its limit terminates it, and the next job starts another.
 */
export class DeadlineWorker<Job, Result> {
  private worker: Worker | undefined;

  /**
   * @param file posts one message when it is ready, then one for each job
   * @param processorMs processor time of this process, milliseconds
   */
  constructor(
    private readonly file: URL,
    private readonly options: WorkerOptions,
    private readonly processorMs = getProcessorMs,
  ) {}

  /** @returns undefined when the job exceeded its limit, or the worker its memory */
  async run(job: Job, limitMs: number): Promise<Result | undefined> {
    const worker = (this.worker ??= await this.start());
    const abort = new AbortController();
    const stopTimer = this.startTimer(limitMs, () => abort.abort());
    try {
      const result = once(worker, 'message', { signal: abort.signal });
      worker.postMessage(job);
      return ((await result) as [Result])[0];
    } catch (error) {
      this.worker = undefined;
      await worker.terminate();
      if (abort.signal.aborted || isOutOfMemory(error)) return undefined;
      throw error;
    } finally {
      stopTimer();
    }
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private async start(): Promise<Worker> {
    const worker = new Worker(this.file, this.options);
    worker.unref();
    // A job handles errors itself; an error between two jobs would otherwise end the process.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (this.worker === worker) this.worker = undefined;
    });
    const exit = once(worker, 'exit').then(([code]) => {
      throw new Error(`The worker ended with ${code} before it was ready.`);
    });
    await Promise.race([once(worker, 'message'), exit]);
    return worker;
  }

  /** Doubles the limit once when the process got less than half of it as processor time, as the machine was busy. */
  private startTimer(limitMs: number, onTimeout: () => void): () => void {
    const startedAt = this.processorMs();
    // A result that arrived while this thread was busy is processed first.
    const end = () => setImmediate(onTimeout);
    let timer = setTimeout(() => {
      if (this.processorMs() - startedAt >= limitMs / 2) end();
      else timer = setTimeout(end, limitMs);
    }, limitMs);
    return () => clearTimeout(timer);
  }
}

function getProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
