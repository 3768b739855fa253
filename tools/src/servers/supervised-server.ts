import { isAlive } from '@ssb/dev/postgres-server';
import { ProcessGuard } from '../lifecycle/process-guard.js';
import { Restarts } from '../lifecycle/restarts.js';

/** A private server of `@ssb/dev`. */
export interface PrivateServer {
  readonly pid: number;
  stop(): Promise<void>;
  /** Starts again on the same port and data. */
  start(): Promise<void>;
}

/** What the starter of private servers does when they end. */
export interface Supervision {
  readonly print: (text: string) => void;
  /** Called once, when a server ended or did not start more than MAX_FAILURES times in a row. */
  readonly onGiveUp: (message: string) => void;
  /** See `Restarts`. */
  readonly delaysMs?: readonly number[];
}

/** How a server is obtained. */
export interface ObtainOptions {
  /** Folder of the data of a private server. */
  readonly folder: string;
  /** Like PATH: where server programs are searched. */
  readonly searchPath: string;
  readonly supervision: Supervision;
  /** Called before a slow step. */
  readonly onProgress?: (what: string) => void;
}

export interface SupervisedServerOptions extends Supervision {
  readonly name: string;
  readonly folder: string;
  /** Sent in this order when this process has ended. */
  readonly signals: readonly NodeJS.Signals[];
}

/** Eight minutes with the delays of `Restarts`. */
export const MAX_FAILURES = 20;
export const CHECK_INTERVAL_MS = 500;

/** Starts a private server again when it ends, and ends it together with this process. */
export class SupervisedServer {
  private readonly guards = new Map<number, ProcessGuard>();
  private readonly restarts: Restarts;
  private server: PrivateServer | undefined;
  private lastEnd: { readonly pid: number; readonly reason: string } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private missingPid: number | undefined;

  constructor({ name, folder, signals, print, onGiveUp, delaysMs }: SupervisedServerOptions) {
    this.observer = {
      onRunning: (pid) => {
        if (!this.guards.has(pid)) this.guards.set(pid, new ProcessGuard(pid, signals));
      },
      onEnded: (pid, reason) => {
        this.lastEnd = { pid, reason };
        void this.releaseAll([pid]);
        this.check();
      },
    };
    this.restarts = new Restarts({
      name,
      print,
      start: async () => this.server?.start(),
      maxFailures: MAX_FAILURES,
      onGiveUp: (reason) =>
        onGiveUp(
          `${reason.trimEnd()}\n  ${name} ended or could not be started ${MAX_FAILURES + 1} times in a row, so it is not started again. ` +
            `Its data is kept in ${folder}. Correct the cause, then start again.`,
        ),
      ...(delaysMs !== undefined && { delaysMs }),
    });
  }

  /** For the start of the server. */
  readonly observer: {
    readonly onRunning: (pid: number) => void;
    readonly onEnded: (pid: number, reason: string) => void;
  };

  /** From now on the server is started again when it ends. */
  supervise(server: PrivateServer): void {
    this.server = server;
    // A server that was taken over is not a child of this process, so its end causes no event.
    this.timer = setInterval(() => this.checkRegularly(), CHECK_INTERVAL_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.restarts.stop();
    await this.restarts.idle();
    try {
      await this.server?.stop();
    } finally {
      await this.releaseAll([...this.guards.keys()]);
    }
  }

  /** The end of a child is an event with its status, which may still come at the first check. */
  private checkRegularly(): void {
    const pid = this.server?.pid;
    if (pid === undefined || isAlive(pid)) return;
    if (this.missingPid === pid) this.check();
    this.missingPid = pid;
  }

  private check(): void {
    const { server, lastEnd } = this;
    if (server === undefined || isAlive(server.pid)) return;
    void this.releaseAll([server.pid]);
    this.restarts.ended(lastEnd?.pid === server.pid ? lastEnd.reason : 'exit status unknown');
  }

  private async releaseAll(pids: readonly number[]): Promise<void> {
    await Promise.all(
      pids.map(async (pid) => {
        const guard = this.guards.get(pid);
        this.guards.delete(pid);
        await guard?.release();
      }),
    );
  }
}
