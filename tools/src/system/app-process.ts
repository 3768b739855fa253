import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** An app ended before it listened, or did not listen in time. */
export class AppStartError extends Error {
  override readonly name = 'AppStartError';

  constructor(
    readonly app: string,
    readonly reason: string,
    readonly output: string,
  ) {
    super(`${app} did not start: ${reason}\n${output}`);
  }
}

/** A structured log line of an app. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly step?: string; readonly msg?: string };

export interface AppProcessOptions {
  /** Unique in a system, e.g. `gateway-publisher`; names the log file. */
  readonly name: string;
  /** Folder under `apps/`. */
  readonly app: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFolder: string;
  readonly onLog?: (name: string, line: LogLine) => void;
  /** Told when the process, once it listened, ends without having been asked to; before that `start` rejects. */
  readonly onUnexpectedEnd?: (name: string, how: string) => void;
}

/** For Node and the C library. docs/operators.md, "Memory", says why. Node 22 and later start faster with a cache of compiled modules. */
const RUNTIME_ENVIRONMENT = {
  NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=4 --max-old-space-size=512',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  NODE_COMPILE_CACHE: join(REPOSITORY, 'node_modules/.cache/node-compile'),
} as const;

const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 20_000;
const OUTPUT_KEPT = 3_000;

/**
 * One app as a process of its own. It lives in its own process group, so that Ctrl-C reaches it only through us, in order; and it
 * holds an IPC channel to us, so that it ends by itself should we be killed.
 */
export class AppProcess {
  readonly name: string;
  private child: ChildProcess | undefined;
  private expectedToEnd = false;
  private hasListened = false;
  private recent = '';
  private logFile: WriteStream | undefined;

  constructor(private readonly options: AppProcessOptions) {
    this.name = options.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  get running(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Starts the app and waits until it listens. */
  async start(): Promise<void> {
    const { app, environment, logFolder, name } = this.options;
    mkdirSync(logFolder, { recursive: true });
    this.logFile = createWriteStream(join(logFolder, `${name}.log`), { flags: 'a' });
    this.expectedToEnd = false;
    this.hasListened = false;
    const child = spawn(process.execPath, [join(REPOSITORY, 'bundles', `${app}.js`)], {
      cwd: REPOSITORY,
      env: { PATH: process.env['PATH'], ...RUNTIME_ENVIRONMENT, ...environment, LOG_FORMAT: 'json' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.child = child;
    this.follow(child);
    await this.listening(child);
    this.hasListened = true;
  }

  /** SIGTERM, and wait for the graceful end; SIGKILL when it takes too long. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** SIGKILL, as a crash would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    this.expectedToEnd = true;
    if (child === undefined || !this.running) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const cutOff = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(cutOff);
  }

  private follow(child: ChildProcess): void {
    const { name, onLog, onUnexpectedEnd } = this.options;
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) return;
    createInterface({ input: stdout }).on('line', (text) => {
      this.keep(text);
      const line = parseLine(text);
      if (line !== undefined) onLog?.(name, line);
    });
    createInterface({ input: stderr }).on('line', (text) => this.keep(text));
    child.once('exit', (code, signal) => {
      this.logFile?.end();
      if (this.hasListened && !this.expectedToEnd) onUnexpectedEnd?.(name, signal ?? `exit status ${code}`);
    });
  }

  private keep(text: string): void {
    this.recent = `${this.recent}${text}\n`.slice(-OUTPUT_KEPT);
    if (this.logFile?.writable) this.logFile.write(`${text}\n`);
  }

  private async listening(child: ChildProcess): Promise<void> {
    const { name } = this.options;
    await new Promise<void>((resolve, reject) => {
      const fail = (reason: string): void => reject(new AppStartError(name, reason, this.recent));
      const timer = setTimeout(
        () => fail(`nothing listened within ${START_TIMEOUT_MS / 1000} s`),
        START_TIMEOUT_MS,
      );
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        then();
      };
      child.once('message', () => settle(resolve));
      child.once('error', (error) => settle(() => fail(error.message)));
      // 'close' rather than 'exit': by then its last words have been read.
      child.once('close', (code, signal) =>
        settle(() => fail(`it ended with ${signal ?? `status ${code}`}`)),
      );
    });
  }
}

function parseLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
