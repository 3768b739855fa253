import { once } from 'node:events';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * A worker thread for one job at a time, each within a time limit. The first job starts it; a job that exceeds its limit terminates it, and
 * the next job starts another.
 */
export class DeadlineWorker<Job, Result> {
  private worker: Worker | undefined;

  /**
   * @param file posts one message when it is ready, then one for each job
   * @param processorMs milliseconds of processor time that this process has had
   */
  constructor(
    private readonly file: URL,
    private readonly options: WorkerOptions,
    private readonly processorMs = ownProcessorMs,
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
    // A job listens to errors itself; without this, one between two jobs would end the process.
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

  /** Doubles the limit once when the process got less than half of it as processor time: the machine was busy. */
  private startTimer(limitMs: number, onTimeout: () => void): () => void {
    const began = this.processorMs();
    // A result that arrived while this thread was busy is taken first.
    const end = () => setImmediate(onTimeout);
    let timer = setTimeout(() => {
      if (this.processorMs() - began >= limitMs / 2) end();
      else timer = setTimeout(end, limitMs);
    }, limitMs);
    return () => clearTimeout(timer);
  }
}

function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
