import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensurePrivateFolder, standardError } from '@ssb/platform';
import { endProcess, isRunning, type LaunchedProcess } from '../lifecycle/launched-process.js';
import { LogFile } from './log-file.js';
import { REPOSITORY_ROOT } from './processes.js';

/** An app ended before it listened, or it did not listen in time. */
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

/** A structured log line of an app. `step` is a step of an event trace. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly step?: string; readonly msg?: string };

/** Starts a process with pipes for its output, and an IPC channel. */
export type LaunchApp = (app: string, environment: Readonly<Record<string, string>>) => LaunchedProcess;

export interface AppProcessOptions {
  /** Unique in a system, e.g. `gateway-publisher`; names the log file. */
  readonly name: string;
  /** Folder under `apps/`. */
  readonly app: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFolder: string;
  /** Default: starts the bundle of the app. */
  readonly launch?: LaunchApp;
  readonly onLog?: (name: string, line: LogLine) => void;
  /** Called when a started process ends by itself. Before it listens, `start` rejects instead. */
  readonly onUnexpectedExit?: (name: string, reason: string) => void;
  /** Called with a sentence when the log file cannot be written, and when it can again. Default: to the standard error output. */
  readonly report?: (text: string) => void;
}

/** Limits the memory of an app (docs/operate/capacity.md). Node 22 and later start faster with a compile cache. */
const RUNTIME_ENVIRONMENT = {
  NODE_OPTIONS: '--enable-source-maps --max-semi-space-size=4 --max-old-space-size=512',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  NODE_COMPILE_CACHE: join(REPOSITORY_ROOT, 'node_modules/.cache/node-compile'),
} as const;

const START_TIMEOUT_MS = 90_000;
/** Characters of output that an AppStartError shows. */
const MAX_RECENT_OUTPUT = 3_000;

/**
 * One app as a child process. Its own process group protects it from Ctrl-C. It ends when this process ends, because the IPC channel closes.
 */
export class AppProcess {
  readonly name: string;
  private launched: LaunchedProcess | undefined;
  private stopRequested = false;
  private hasListened = false;
  private recentOutput = '';

  constructor(private readonly options: AppProcessOptions) {
    this.name = options.name;
  }

  get pid(): number | undefined {
    return this.launched?.child.pid;
  }

  get running(): boolean {
    return this.launched !== undefined && isRunning(this.launched.child);
  }

  /** Writes a line to the standard input of the app. */
  writeLine(text: string): void {
    this.launched?.child.stdin?.write(`${text}\n`);
  }

  /** Starts the app and waits until it listens. */
  async start(): Promise<void> {
    const { app, environment, logFolder, launch = launchBundle } = this.options;
    ensurePrivateFolder(logFolder);
    this.stopRequested = false;
    this.hasListened = false;
    this.launched = launch(app, environment);
    const { child } = this.launched;
    this.readOutput(child);
    await this.waitUntilListening(child);
    this.hasListened = true;
  }

  /** Sends SIGTERM and waits for the end. Sends SIGKILL after 20 seconds. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Sends SIGKILL and waits for the end. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    this.stopRequested = true;
    if (this.launched !== undefined) await endProcess(this.launched, signal);
  }

  private readOutput(child: ChildProcess): void {
    const { name, logFolder, onLog, onUnexpectedExit, report = printError } = this.options;
    const { stdin, stdout, stderr } = child;
    // A line for an app that ends meanwhile is lost.
    stdin?.on('error', () => undefined);
    if (stdout === null || stderr === null) return;
    const logFile = new LogFile({ path: join(logFolder, `${name}.log`), report });
    const record = (text: string): void => {
      this.recentOutput = `${this.recentOutput}${text}\n`.slice(-MAX_RECENT_OUTPUT);
      logFile.writeLine(text);
    };
    createInterface({ input: stdout }).on('line', (text) => {
      record(text);
      const line = parseLine(text);
      if (line !== undefined) onLog?.(name, line);
    });
    createInterface({ input: stderr }).on('line', record);
    // At 'close', unlike 'exit', all of its output has been read.
    child.once('close', () => void logFile.close());
    child.once('exit', (code, signal) => {
      if (this.hasListened && !this.stopRequested) onUnexpectedExit?.(name, signal ?? `exit status ${code}`);
    });
  }

  private async waitUntilListening(child: ChildProcess): Promise<void> {
    const { name } = this.options;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => fail(`it did not listen within ${START_TIMEOUT_MS / 1000} s`),
        START_TIMEOUT_MS,
      );
      const fail = (reason: string): void => {
        clearTimeout(timer);
        reject(new AppStartError(name, reason, this.recentOutput));
      };
      child.once('message', () => {
        clearTimeout(timer);
        resolve();
      });
      child.once('error', (error) => fail(error.message));
      // At 'close', unlike 'exit', all of its output has been read.
      child.once('close', (code, signal) => fail(`it ended with ${signal ?? `status ${code}`}`));
    });
  }
}

function launchBundle(app: string, environment: Readonly<Record<string, string>>): LaunchedProcess {
  const child = spawn(process.execPath, [join(REPOSITORY_ROOT, 'bundles', `${app}.js`)], {
    cwd: REPOSITORY_ROOT,
    env: { PATH: process.env['PATH'], ...RUNTIME_ENVIRONMENT, ...environment, LOG_FORMAT: 'json' },
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  return { child, kill: (signal) => child.kill(signal) };
}

function printError(text: string): void {
  standardError.writeLine(text);
}

function parseLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
